"""The pages of roles: what each extends, reads and may use, and what came of its runs."""

from agents.catalog.library import Declared, load_catalog
from agents.catalog.roles.pack_files import packaged_packs
from bot.queries.role_queries import RoleShown, RolesShown
from store.streams.runs import RoleRecord
from tests.fakes.console import console, text_of
from tests.fakes.desk import ScriptedDesk

CATALOG = load_catalog(Declared(bundles=(packaged_packs()["finance"].bundle,)))
RECORD = RoleRecord(runs=4, well=3, failed=1, cost=0.5, seconds=600.0)


def desk() -> ScriptedDesk:
    made = ScriptedDesk()
    shown = tuple(RoleShown(role=CATALOG.roles[name], steps=(), record=RECORD) for name in ("trader", "test_engineer"))
    made.roles_shown = RolesShown(kinds={"implementer": shown}, sources=("the pack finance",))
    return made


async def test_the_list_names_each_role_and_where_they_come_from() -> None:
    async with console(desk()) as visit:
        page = text_of((await visit.get("/roles")).text)
    assert "the pack finance" in page and "trader" in page and "4 runs" in page and "Minions" in page


async def test_a_role_is_shown_with_what_it_reads_uses_must_pass_and_did() -> None:
    async with console(desk()) as visit:
        page = text_of((await visit.get("/roles/trader")).text)
        other = text_of((await visit.get("/roles/test_engineer")).text)
        missing = await visit.get("/roles/wizard")
    for words in (
        "implementer",
        "config/risk_limits.py",
        "at most 25,000 tokens",
        "at most 12,000 characters, where the branch has changed something",
        "Never remove or weaken a stop-loss check.",
        "which runs python -m backtest.run {strategy}",
        "run_backtest_simulation",
        "risk-check",
        "Went well",
        "$0.50",
        "10 min",
    ):
        assert words in page
    assert "$IMPLEMENTATION_INTERNALS" in other and "integration, e2e, contract" in other
    assert missing.status_code == 404 and "There is no role wizard" in missing.text
