"""A minion that wants to change a locked interface: tools refuse, commands cannot, and the gate sees it anyway."""

from dataclasses import replace

from agents.workspace.gates.rules import outside
from tests.minions.field import Field, differing

STORE = "shortlinks/store.py"


async def test_neither_a_tool_nor_a_command_changes_it(ground: Field) -> None:
    ground.scope = replace(ground.scope, locked=(STORE,))
    before = (ground.root / STORE).read_bytes()
    wrote, shell, gone, free = await ground.told(
        ("write_file", {"path": STORE, "content": "x = 1\n"}),
        ("run_command", {"command": f"echo x >> {STORE}; sed -i s/a/b/ {STORE}; chmod 777 {STORE}"}),
        ("run_command", {"command": f"rm -f {STORE} || mv {STORE} away.py"}),
        ("write_file", {"path": "shortlinks/more.py", "content": "x = 1\n"}),
    )
    assert "is a locked interface" in wrote and "request_scope" in wrote
    assert "Read-only" in shell or "busy" in shell or "not permitted" in shell
    assert "Exit code 0" not in gone and "more.py" in free
    assert (ground.root / STORE).read_bytes() == before and differing(ground.root) == ["shortlinks/more.py"]


def test_the_gate_refuses_it_a_second_time(ground: Field) -> None:
    locked = replace(ground.scope, locked=("shortlinks/**",))
    assert list(outside([STORE, "tests/test_store.py"], locked)) == [STORE]
