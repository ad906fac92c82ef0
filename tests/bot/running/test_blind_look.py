"""A test engineer who is not shown the code, and tries to get at it: by files, git, imports and tracebacks."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.work.work import Work
from agents.domain.workflow.workflow import DEFAULT
from agents.ports import Brief, Sandbox, Workspace
from agents.workspace.blind.blind_results import looks_at_code
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.sandbox.walls import toolchain
from bot.running.looks.blind_look import BlindLook
from tests.evaluator.pieces import PASS, SHOP, Piece
from tests.evaluator.yard import Shelf, gates_for
from tests.llm.rig import task
from tests.minions.field import Field, laid_out
from tests.sandbox.yard import bubblewrap
from tests.workspace.repositories import somebodys, write

pytestmark = pytest.mark.timeout(240)
MINE = ("tests/integration/",)
SECRET = "the_way_it_is_made"
CART = f'''"""A cart."""

_RATE_{SECRET} = 7


def total(prices, discount=0):
    """The sum, less a discount in percent."""
    {SECRET} = sum(prices)
    return {SECRET}


def pay(prices):
    """Raises ValueError for an empty cart."""
    {SECRET} = {{}}
    return {SECRET}[0]
'''
FILES = {
    **{path: str(text) for path, text in SHOP.items()},
    "shop/cart.py": CART,
    "tests/conftest.py": "import pytest\n",
    "interfaces/cart.pyi": "def total(prices: list[float], discount: float = ...) -> float: ...\n",
}
HONEST = '''"""Contracts of the cart."""

import pytest

from shop.cart import pay, total


def test_a_discount_is_taken_off():
    """A discount lowers the total: the contract says percent."""
    assert total([10, 10], discount=50) == 10


def test_an_empty_cart_cannot_be_paid():
    """An empty cart is an error of the caller: ValueError, as the API says."""
    with pytest.raises(ValueError):
        pay([])


def test_a_total_is_the_sum():
    """The usual case, so that the others mean something."""
    assert total([1, 2]) == 3
'''


@pytest.fixture
async def look(tmp_path: Path) -> AsyncIterator[BlindLook]:
    user, home = tmp_path / "user", tmp_path / "home"
    somebodys(user, FILES)

    async def around(project: str, base: str, folder: Path) -> Workspace:
        return Workspace(path=folder, readable=toolchain(Path(sys.prefix)))

    async def sandbox() -> Sandbox:
        return bubblewrap()

    checkouts = GitCheckouts({"shop": user}, home, around)
    checkout = await checkouts.open("shop", "overlord/T-1.1", await checkouts.tip("shop", "HEAD"), MINE)
    gates = gates_for(checkouts.repository("shop"), home, Piece(name="", base={}, work={}, verdict=PASS), Shelf())
    step = replace(DEFAULT.implement, config={"blind": True, "min_tests": 3})
    subtask = Subtask(number=1, title="Do it", why="it is wanted", kind=WorkKind.FEATURE)
    scope = Scope(mode=ScopeMode.DIRECTORY, patterns=("tests/integration/**",))
    brief = Brief(task=task(), subtask=subtask, work=Work(number=1, scope=scope), checkout=checkout, step=step)
    yield BlindLook(checkouts, gates, sandbox, brief)  # type: ignore[arg-type]  # found the same way


def folder_of(look: BlindLook) -> Path:
    return look.brief.checkout.workspace.path


def test_the_folder_has_what_may_be_known_and_nothing_of_the_product(look: BlindLook) -> None:
    there = {path.relative_to(folder_of(look)).as_posix() for path in folder_of(look).rglob("*") if path.is_file()}
    assert there == {"PUBLIC_API.md", "README.md", "interfaces/cart.pyi", "pyproject.toml", "tests/conftest.py"}
    api = (folder_of(look) / "PUBLIC_API.md").read_text()
    assert "`def total(prices, discount=0)`: The sum, less a discount in percent." in api and SECRET not in api


ATTACKS = (
    "cat shop/cart.py; cat ../*/shop/cart.py; find / -name cart.py -not -path '/proc/*' 2>/dev/null | xargs -r cat",
    "git show HEAD:shop/cart.py; git log -p; git --git-dir=/ cat-file -p HEAD; ls -la .git; cat .git",
    "python3 -c 'import shop.cart as c, inspect; print(inspect.getsource(c))'; PYTHONPATH=. python3 -m shop.cart",
    f"grep -rI {SECRET[:9]} / --include=* -s --exclude-dir=proc --exclude-dir=sys -l | head",
    "cat /proc/*/environ | tr '\\0' '\\n' | head -50; ls -R / 2>/dev/null | grep -i worktree",
)


async def test_no_tool_shows_it_what_it_may_not_see(look: BlindLook, tmp_path: Path) -> None:
    (tmp_path / "field").mkdir()
    async with laid_out(tmp_path / "field") as ground:
        field = replace(ground, checkout=look.brief.checkout, scope=look.brief.work.scope)
        answers = await attack(field)
    assert not [said for said in answers if SECRET in said or "discount) / 100" in said]


async def attack(field: Field) -> list[str]:
    commands = [("run_command", {"command": each, "timeout": 60.0}) for each in ATTACKS]
    reads = [("read_file", {"path": path}) for path in ("shop/cart.py", "../../shop/cart.py", ".git", "/etc/../shop")]
    searched = [("search_files", {"pattern": "way_it"}), ("glob_files", {"pattern": "**/*.py"})]
    wrote = ("write_file", {"path": "shop/cart.py", "content": "x = 1\n"})
    link = ("run_command", {"command": "mkdir -p tests/integration; ln -s /work tests/integration/way; ls"})
    return await field.told(*commands, *reads, *searched, wrote, link)


async def test_it_is_told_names_outcomes_and_what_was_asserted_and_no_frame(look: BlindLook) -> None:
    write(folder_of(look), {"tests/integration/test_cart.py": HONEST})
    told = await look.why_not_yet()
    assert "3 tests ran in the whole project, 2 did not pass." in told
    assert (
        "- test_a_discount_is_taken_off: failed: AssertionError: assert 20 == 10" in told or "assert 20 == 10" in told
    )
    assert "KeyError: 0" in told and SECRET not in told and "cart.py" not in told


SPIES = {
    "source": "import inspect, shop.cart\n\ndef {name}():\n    {doc}\n    assert inspect.getsource(shop.cart) == ''\n",
    "file": "import shop.cart\n\ndef {name}():\n    {doc}\n    assert open(shop.cart.__file__, 'rb').read() == b''\n",
    "private": (
        "import shop.cart\n\ndef {name}():\n    {doc}\n"
        f"    assert shop.cart._RATE_{SECRET} == 0, [n for n in dir(shop.cart)]\n"
    ),
    "traceback": (
        "import traceback\nfrom shop.cart import pay\n\ndef {name}():\n    {doc}\n    try:\n        pay([])\n"
        "    except KeyError:\n        assert traceback.format_exc() == ''\n"
    ),
    "git": (
        "import subprocess\n\ndef {name}():\n    {doc}\n"
        "    assert subprocess.run(['git', 'show', 'HEAD:shop/cart.py'], capture_output=True).stdout == b''\n"
    ),
    "names": (
        "import pytest, pathlib\n\n@pytest.mark.parametrize('x', [pathlib.Path('shop/cart.py').read_bytes()])\n"
        "def {name}(x):\n    {doc}\n    assert not x\n"
    ),
    "spelt": (
        "from shop.cart import total\n\ndef {name}():\n    {doc}\n"
        "    assert '{{0.__code__.co_consts}} {{0.__globals__}}'.format(total) == ''\n"
    ),
    "printed": (
        "import pathlib, sys\n\ndef {name}():\n    {doc}\n    found = [p for p in pathlib.Path('.').rglob('cart*')]\n"
        "    print([p.read_text() for p in found if p.suffix == '.py'])\n    assert not found\n"
    ),
}


@pytest.mark.parametrize("spy", SPIES)
async def test_tests_that_look_at_the_code_are_told_nothing_of_it(look: BlindLook, spy: str) -> None:
    body = SPIES[spy].format(name="test_spy", doc='"""What it looks at, and why it does."""')
    write(folder_of(look), {"tests/integration/test_cart.py": HONEST, "tests/integration/test_spy.py": body})
    told = await look.why_not_yet()
    assert SECRET not in told and "cart.py" not in told and "discount" not in told.replace("test_a_discount_is", "")
    assert "What they said is withheld" in told or "cannot be loaded" in told


WAYS_IN = (
    "x.__traceback__.tb_frame.f_locals",
    "err.value.__traceback__",
    "e.tb",
    "e.getrepr(showlocals=True)",
    "'{0.__code__}'.format(total)",
    "('{0.__co' + 'de__}').format(total)",
    "operator.attrgetter(name)(total)",
    "total.__defaults__",
    "total.__wrapped__",
    "sys.modules['shop.cart']",
    "dir(shop)",
    "help(total)",
    "os.walk('.')",
    "shutil.copytree('shop', 'y')",
    "mock.patch('shop.cart._rate')",
    "string.Formatter()",
    "gen.gi_frame",
    "io.FileIO('x')",
    "sys.excepthook",
    "shop.cart._rate",
    "object.__subclasses__()",
    "[].__class__.__mro__",
)
HONEST_WORDS = (
    "assert total([1]) == 1, 'a total of one'",
    "assert f'{total([1])} is {{x}}' == '1'",
    "assert '{} of {}'.format(1, 2)",
    "assert Cart().__len__() == 0 and Cart.__name__ == 'Cart'",
    "for _ in range(3): pay([1])",
    "response = client.get('/api/v1/carts?f_name=x')",
    "assert json.loads(body)['_id'] == 1",
    "assert 'eco_friendly co_op f_name' in page",
    "monkeypatch.setenv('SHOP_RATE', '2')",
    "if __name__ == '__main__': pytest.main()",
)


def test_ways_in_are_known_and_plain_calls_are_none() -> None:
    assert [way for way in WAYS_IN if not looks_at_code(way)] == []
    assert [line for line in HONEST_WORDS if looks_at_code(line)] == []


async def test_too_few_tests_or_dumb_ones_are_not_taken(look: BlindLook) -> None:
    write(folder_of(look), {"tests/integration/test_cart.py": "def test_one():\n    pass\n"})
    assert "there are 1 tests, and at least 3 are wanted" in await look.why_not_yet()
    write(folder_of(look), {"tests/integration/test_cart.py": HONEST.replace('"""The usual case', '"""') + "\n"})
    dumb = HONEST.replace('    """The usual case, so that the others mean something."""\n', "")
    write(folder_of(look), {"tests/integration/test_cart.py": dumb})
    assert "missing: test_a_total_is_the_sum" in await look.why_not_yet()


async def test_only_its_own_folder_is_committed_and_the_product_stays(look: BlindLook) -> None:
    write(folder_of(look), {"tests/integration/test_cart.py": HONEST, "shop/cart.py": "x = 1\n", "stray.txt": "x\n"})
    (folder_of(look) / "tests/integration/way").symlink_to("/etc/passwd")
    commit = await look.checkouts.commit(look.brief.checkout, "Tests")
    changes = await look.checkouts.changes("shop", look.brief.checkout.base, commit)
    assert [(change.path, change.status) for change in changes] == [("tests/integration/test_cart.py", "A")]
    assert await look.strays() == {} and await look.put_back(["shop/cart.py"]) != []
    await look.checkouts.close(look.brief.checkout)
    assert not folder_of(look).exists(), "nothing of it stays"
