"""Interfaces are validated by the real tools of their languages, and an implementation that drifts is sent back."""

from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.ports import Candidate, Judged
from tests.evaluator.pieces import CART, PASS, SHOP, Files, Piece
from tests.evaluator.yard import Shelf, gates_for
from tests.sandbox.yard import git
from tests.workspace.repositories import somebodys, write

pytestmark = pytest.mark.timeout(240)
PROTOCOL = """from typing import Protocol


class Totals(Protocol):
    def __call__(self, prices: list[float], discount: float = 0) -> float: ...
"""
HOLDS = "from interfaces.cart import Totals\nfrom shop.cart import total\n\ntotals: Totals = total\n"
TYPED = CART.replace("def total(prices, discount=0):", "def total(prices: list[float], discount: float = 0) -> float:")
SCHEMA = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'
AGREED: Files = {
    "interfaces/__init__.py": "",
    "interfaces/cart.py": PROTOCOL,
    "interfaces/holds.py": HOLDS,
    "interfaces/cart.schema.json": SCHEMA,
    "interfaces/cart.sql": "create table cart (id integer primary key, total real not null);\n",
}


async def judged(place: Path, base: Files, work: Files) -> Judged:
    somebodys(place, {path: str(text) for path, text in base.items()})
    before = git(place, "rev-parse", "HEAD").strip()
    write(place, {path: str(text) for path, text in work.items()})
    git(place, "add", ".")
    git(place, "commit", "-qm", "work")
    commit = git(place, "rev-parse", "HEAD").strip()
    gates = gates_for(place, place.parent / "home", Piece(name="", base={}, work={}, verdict=PASS), Shelf())
    scope = Scope(mode=ScopeMode.UNRESTRICTED)
    return await gates.judge(Candidate(project="shop", base=before, commit=commit, scope=scope, check="interfaces"))


async def test_what_is_agreed_on_passes_its_tools(tmp_path: Path) -> None:
    (row,) = (await judged(tmp_path / "shop", {**SHOP, "shop/cart.py": TYPED}, AGREED)).gates
    assert row.score is Score.PASS and "not validated" not in row.why, row


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("interfaces/cart.py", PROTOCOL.replace("list[float]", "list[flaot]"), "flaot"),
        ("interfaces/cart.schema.json", SCHEMA.replace("object", "objekt"), "objekt"),
        ("interfaces/cart.sql", "create tabel cart (id integer);\n", "tabel"),
    ],
)
async def test_what_no_tool_can_read_is_sent_back(tmp_path: Path, path: str, text: str, said: str) -> None:
    base = {**SHOP, "shop/cart.py": TYPED}
    (row,) = (await judged(tmp_path / "shop", base, {**AGREED, path: text})).gates
    assert row.score is Score.NEEDS_REVISION and said in row.output


async def test_an_implementation_that_drifts_is_sent_back_though_no_interface_changed(tmp_path: Path) -> None:
    drifts = TYPED.replace("discount: float = 0) -> float", "discount: str) -> str")
    (row,) = (
        await judged(tmp_path / "shop", {**SHOP, "shop/cart.py": TYPED, **AGREED}, {"shop/cart.py": drifts})
    ).gates
    assert row.score is Score.NEEDS_REVISION and "interfaces/holds.py:4" in row.output


async def test_what_has_no_tool_here_is_said_and_not_passed_over(tmp_path: Path) -> None:
    more = {"api/openapi.yaml": "openapi: 3.1.0\ninfo: {}\n", "types/cart.d.ts": "export type A = {\n"}
    (row,) = (await judged(tmp_path / "shop", SHOP, more)).gates
    assert row.score is Score.PASS
    assert "not validated: " in row.why and "types/cart.d.ts (no tsc here)" in row.why
    assert "api/openapi.yaml (no openapi_spec_validator here)" in row.why
