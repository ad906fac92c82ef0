"""Set-up runs a stranger's code with a network: what it may see, reach and leave behind."""

from pathlib import Path

import pytest

from agents.domain.project.environment import WrittenEnvironment
from agents.workspace.environments.layers import Layers, Mark
from tests.conformance.sandbox_rig import USUAL
from tests.workspace.environments.rig import Wish, make

on_both = pytest.mark.parametrize("sandbox", USUAL)
LOOK = "cat {0} || ls {0} || echo HIDDEN"


@on_both
async def test_set_up_sees_no_state_folder_no_other_project_and_no_home(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "overlord.db").write_text("facts")
    (tmp_path / "home" / "environments" / "other").mkdir(parents=True)
    hidden = (
        tmp_path / "home" / "overlord.db",
        tmp_path / "home" / "environments" / "other",
        tmp_path / "shop",
        *((Path("/etc/shadow"), Path("/var/log")) if sandbox == "bubblewrap" else ()),  # an image has its own
    )
    setup = tuple(LOOK.format(path) for path in hidden)
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=setup), sandbox=sandbox))
    assert await rig.set_up() == ""
    assert (await rig.log()).count("\nHIDDEN\n") == len(hidden)


@on_both
async def test_set_up_is_given_the_secrets_that_are_named_and_no_other(tmp_path: Path, sandbox: str) -> None:
    """Nor does a minion, and the log does not show it."""
    setup = ('test "$SHOP_INDEX" = sesame-open', 'echo "the value is $SHOP_INDEX"', "env | cut -d= -f1 | sort")
    written = WrittenEnvironment(setup=setup, secrets=("SHOP_INDEX",))
    environ = {"SHOP_INDEX": "sesame-open", "GITHUB_TOKEN": "ghp_x", "ANTHROPIC_API_KEY": "sk-x"}
    wish = Wish(
        files={"a.py": ""}, written=written, environ=environ, secrets={"SHOP_INDEX": "sesame-open"}, sandbox=sandbox
    )
    rig = make(tmp_path, wish)
    assert await rig.set_up() == ""
    log = await rig.log()
    assert "the value is [SHOP_INDEX]" in log
    assert "sesame-open" not in log
    assert "TOKEN" not in log
    assert "API_KEY" not in log
    assert "SHOP_INDEX" not in await rig.says("env")
    kept = [path for path in (rig.home / "environments").rglob("*") if path.is_file()]
    assert not any(b"sesame-open" in path.read_bytes() for path in kept)


async def test_a_secret_that_set_up_leaves_where_minions_look_spoils_the_layer(tmp_path: Path) -> None:
    setup = ('mkdir -p "$LAYER/venv/etc"; echo "index = $SHOP_INDEX" > "$LAYER/venv/etc/pip.conf"',)
    written = WrittenEnvironment(setup=setup, secrets=("SHOP_INDEX",))
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=written, secrets={"SHOP_INDEX": "sesame-open"}))
    assert "left the value of SHOP_INDEX in venv/etc/pip.conf" in await rig.set_up()
    assert not (await rig.grounds.find("shop", rig.commit)).ready


async def test_a_secret_is_in_no_argument_of_a_process(tmp_path: Path) -> None:
    setup = ("tr '\\0' ' ' < /proc/1/cmdline; tr '\\0' ' ' < /proc/self/cmdline; tr '\\0' '\\n' < /proc/1/environ",)
    written = WrittenEnvironment(setup=setup, secrets=("SHOP_INDEX",))
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=written, secrets={"SHOP_INDEX": "sesame-open"}))
    await rig.set_up()
    assert "[SHOP_INDEX]" not in await rig.log()


async def test_a_layer_of_one_project_is_never_the_layer_of_another(tmp_path: Path) -> None:
    """Same files, same commands, same key: and still each has its own."""
    setup = ('"$PYTHON" -m venv --without-pip "$LAYER/venv"', 'echo "$LAYER" > "$LAYER/venv/poison"')
    wish = Wish(files={"requirements.txt": "tiny\n"}, written=WrittenEnvironment(setup=setup))
    one, two = make(tmp_path, wish, "one"), make(tmp_path, wish, "two")
    assert await one.set_up() == ""
    assert (await one.grounds.find("one", one.commit)).key == (await two.grounds.find("two", two.commit)).key
    assert not (await two.grounds.find("two", two.commit)).ready
    assert await two.set_up() == ""
    poison = ("sh", "-c", 'cat "$(dirname "$(dirname "$(command -v python)")")/poison"')
    assert "/one/" in await one.says(*poison)
    assert "/two/" in await two.says(*poison)


async def test_nobody_writes_the_layer_after_set_up(tmp_path: Path) -> None:
    setup = ('"$PYTHON" -m venv --without-pip "$LAYER/venv"',)
    rig = make(tmp_path, Wish(files={"requirements.txt": "tiny\n"}, written=WrittenEnvironment(setup=setup)))
    assert await rig.set_up() == ""
    ran = await rig.run("sh", "-c", 'echo evil > "$(dirname "$(command -v python)")/pip"')
    assert ran.exit_code != 0
    assert "ead-only" in ran.output


async def test_a_set_up_cannot_call_itself_ready(tmp_path: Path) -> None:
    """The mark lies outside of what it writes, and what it cannot reach it cannot forge."""
    forge = 'for at in "$LAYER.json" "$LAYER/../other.json" "$LAYER/../../two/x.json"; do echo > "$at"; done; exit 1'
    rig = make(tmp_path, Wish(files={"a.py": ""}, written=WrittenEnvironment(setup=(forge,))))
    await rig.set_up()
    assert not (await rig.grounds.find("shop", rig.commit)).ready
    assert not list((rig.home / "environments").rglob("*.json"))


def test_what_a_kill_left_does_not_count_and_goes(tmp_path: Path) -> None:
    layers = Layers(tmp_path)
    place = tmp_path / "environments" / "shop"
    (place / "half").mkdir(parents=True)
    (place / "whole").mkdir()
    (place / "unmarked.json").write_text("{")
    layers.finish("shop", Mark(key="whole", consent="c", at=1.0, seconds=1.0, log="l"))
    assert layers.find("shop", "half") is None
    assert layers.find("shop", "unmarked") is None
    found = layers.find("shop", "whole")
    assert found is not None
    layers.tidy("shop")
    assert sorted(path.name for path in place.iterdir() if path.is_dir()) == ["whole"]


def test_a_mark_that_names_another_key_does_not_count(tmp_path: Path) -> None:
    layers = Layers(tmp_path)
    place = tmp_path / "environments" / "shop"
    for name in ("one", "two"):
        (place / name).mkdir(parents=True)
    layers.finish("shop", Mark(key="one", consent="c", at=1.0, seconds=1.0, log="l"))
    (place / "one.json").rename(place / "two.json")
    assert layers.find("shop", "two") is None
    assert layers.latest("shop") is None


def test_the_oldest_layers_go(tmp_path: Path) -> None:
    layers = Layers(tmp_path)
    for number in range(6):
        (tmp_path / "environments" / "shop" / f"k{number}").mkdir(parents=True)
        layers.finish("shop", Mark(key=f"k{number}", consent="c", at=float(number), seconds=1.0, log="l"))
    layers.tidy("shop")
    assert [layers.find("shop", f"k{number}") is not None for number in range(6)] == [False] * 3 + [True] * 3
