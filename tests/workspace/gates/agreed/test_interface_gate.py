"""Interfaces are validated by the real tools of their languages, and an implementation that drifts is sent back."""

import subprocess
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.ports import Candidate, Judged
from tests.conformance.sandbox_rig import NAMED
from tests.corpus.fetching import cache
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


async def judged(place: Path, base: Files, work: Files, beside: Callable[[Path], None] = lambda place: None) -> Judged:
    """`beside`: puts into the folder what no commit holds."""
    somebodys(place, {path: str(text) for path, text in base.items()})
    beside(place)
    before = git(place, "rev-parse", "HEAD").strip()
    write(place, {path: str(text) for path, text in work.items()})
    git(place, "add", ".")
    git(place, "commit", "-qm", "work")
    commit = git(place, "rev-parse", "HEAD").strip()
    gates = gates_for(place, place.parent / "home", Piece(name="", base={}, work={}, verdict=PASS), Shelf())
    scope = Scope(mode=ScopeMode.UNRESTRICTED)
    return await gates.judge(Candidate(project="shop", base=before, commit=commit, scope=scope, check="interfaces"))


async def test_an_implementation_that_drifts_is_sent_back_though_no_interface_changed(tmp_path: Path) -> None:
    drifts = TYPED.replace("discount: float = 0) -> float", "discount: str) -> str")
    (row,) = (
        await judged(tmp_path / "shop", {**SHOP, "shop/cart.py": TYPED, **AGREED}, {"shop/cart.py": drifts})
    ).gates
    assert row.score is Score.NEEDS_REVISION and "interfaces/holds.py:4" in row.output


OPENAPI = """openapi: 3.1.0
info: {title: Cart, version: "1"}
paths:
  /carts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        200: {description: One, content: {application/json: {schema: {$ref: "#/components/schemas/Cart"}}}}
components: {schemas: {Cart: {type: object}}}
"""


def bare_venv(place: Path) -> None:
    venv.create(place / ".venv", symlinks=True)


async def test_a_project_without_tools_of_its_own_is_judged_by_ours(tmp_path: Path) -> None:
    files: Files = {**AGREED, "api/openapi.yaml": OPENAPI, "api/queue.yaml": "topics: [a]\n", "cart.avsc": "{}"}
    base = {**SHOP, "shop/cart.py": TYPED, ".gitignore": ".venv\n"}
    (row,) = (await judged(tmp_path / "one", base, files, bare_venv)).gates
    assert row.score is Score.PASS and row.why.endswith("not validated: cart.avsc (no validator of its kind here)"), row
    broken: Files = {
        "interfaces/cart.py": PROTOCOL.replace("list[float]", "list[flaot]"),
        "interfaces/cart.schema.json": SCHEMA.replace("object", "objekt"),
        "interfaces/cart.sql": "create tabel cart (id integer);\n",
        "api/openapi.yaml": OPENAPI.replace("schemas/Cart", "schemas/Kart"),
    }
    (row,) = (await judged(tmp_path / "two", {**base, **files}, broken, bare_venv)).gates
    assert row.score is Score.NEEDS_REVISION
    for said in ("flaot", "objekt", "tabel", "there is no `#/components/schemas/Kart`"):
        assert said in row.output, row


async def test_what_has_no_tool_here_is_said_and_not_passed_over(tmp_path: Path) -> None:
    more = {"api/asyncapi.yaml": "asyncapi: 3.0.0\n", "types/cart.d.ts": "export type A = {\n"}
    (row,) = (await judged(tmp_path / "shop", SHOP, more)).gates
    assert row.score is Score.PASS
    assert "not validated: " in row.why and "types/cart.d.ts (no tsc here)" in row.why
    assert "api/asyncapi.yaml (no validator of asyncapi here)" in row.why


TYPES: Files = {
    "types/cart.d.ts": "export interface Cart { id: string; lines: Line[] }\nexport interface Line { sku: string }\n",
    "types/holds.ts": 'import type { Cart } from "./cart";\nimport { cart } from "@/cart";\n'
    "export const it: Cart = cart;\n",
    "src/cart.ts": 'export const cart = { id: "1", lines: [{ sku: "a" }] };\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true, "skipLibCheck": true, "paths": {"@/*": ["./src/*"]}}}',
}


FAULTY: Files = {
    "types/cart.d.ts": "export interface Cart { id: string; lines: Missing[] }\n",
    "src/cart.ts": "export const cart = { id: 1, lines: [] };\n",
    "api/openapi.yaml": OPENAPI.replace("responses", "response"),
}


async def test_the_tools_of_a_project_itself_are_used(fetched: Path, tmp_path: Path) -> None:
    def linked(place: Path) -> None:
        for name in ("node_modules", ".venv"):
            (place / name).symlink_to(fetched / name)

    base = {**SHOP, **TYPES, "api/openapi.yaml": OPENAPI, ".gitignore": "node_modules\n.venv\n"}
    (row,) = (await judged(tmp_path / "one", base, {"README.md": "Carts.\n"}, linked)).gates
    assert row.score is Score.PASS and "not validated" not in row.why, row
    (row,) = (await judged(tmp_path / "two", base, FAULTY, linked)).gates
    assert row.score is Score.NEEDS_REVISION and "not validated" not in row.why, row
    for said in ("Cannot find name 'Missing'", "types/holds.ts(3,14)", "api/openapi.yaml: "):
        assert said in row.output, row


@pytest.fixture(scope="module")
def fetched() -> Path:
    """tsc and openapi-spec-validator as their registries have them, kept for the next time."""
    folder = cache().parent / "interface-tools"
    if not (folder / "done").exists():
        if not NAMED:
            pytest.skip(
                "not run: tsc and openapi-spec-validator were not fetched yet, which `make bench ARGS=--all` does"
            )
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        venv.create(folder / ".venv", with_pip=True, symlinks=True)
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "typescript@5.9"]
        pip = [str(folder / ".venv/bin/pip"), "install", "-q", "openapi-spec-validator>=0.7", "mypy"]
        if any(subprocess.run(words, cwd=folder, check=False, capture_output=True).returncode for words in (npm, pip)):
            pytest.skip("not run: npm or pip does not bring tsc and openapi-spec-validator")
        (folder / "done").touch()
    return folder
