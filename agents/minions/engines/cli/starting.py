"""Starts a command-line agent in the sandbox: its own home, its own layer of programs, one door to one model."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from agents.domain.checks.scope import Scope, ScopeMode, matches
from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.models.failure import ErrorClass
from agents.minions.engines.builtin.executor import STARTS, NoRoom
from agents.minions.engines.cli.program import Cli, Launch, read_output
from agents.minions.engines.cli.run import CliRun
from agents.ports import ADDRESS, TOOLS_ADDRESS, LentModel, Listener, Profile, Program, Ran, Room, Shown, Workspace

Open = Callable[[Workspace], AbstractAsyncContextManager[Room]]
OURS = "overlord-cli-"
EMPTY = "empty"  # a folder that stands for those which are hidden
NOTHING = "nothing"  # a file that stands for those which nobody is to obey
ORDERS = frozenset({"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", ".mcp.json"})
KEPT = 2 << 20  # bytes of what it prints
DEEPEST = 4  # folders beneath the workspace that are told apart
MOST_FIXED = 200
MOST_ORDERS = 1000
TOOL_CALLS = 3  # as long as so many commands one call of our tools may take: it tries the work
# Copies its settings into its own home, tells it what to do, and marks its error channel.
_START = """
cp -R "$1/home/." "$HOME/" || exit 126
prompt=$1/prompt.md; shift
"$@" <"$prompt" 2>"$HOME/.said"; code=$?
echo; tail -c 20000 "$HOME/.said" | sed 's/^/stderr: /'; exit $code
"""


async def start(run: CliRun, program: Program, lent: LentModel, profile: Profile) -> Ran:
    """A minion, to the end of this start. Raises NoRoom, and NoAnswer where the project orders its program about.

    A sandbox that does not start may start the next time: what is started can be killed by anybody.
    """
    services, cli = run.services, run.cli
    launch = Launch(
        cli=cli,
        program=program,
        model=lent.model,
        token=lent.token,
        address=ADDRESS,
        tools=TOOLS_ADDRESS,
        turns=services.limits.minion_turns - run.talk.turns + 1,  # the gateway counts them
        seconds=services.limits.command_seconds * TOOL_CALLS,
        flags=run.role.flags,
    )
    around, scope = run.executor.workspace, run.brief.work.scope
    there = replace(around, fixed=await asyncio.to_thread(fixed_paths, around.path, scope))
    with run.executor.show(f"{cli.title} {program.version}") as heard:

        def listen(last: str) -> None:
            run.give_sign()
            heard(read_output(cli, last)[0].text or "working")

        lent_out = replace(profile, door=lent, kept=KEPT)
        for left in reversed(range(STARTS)):
            try:
                sandbox = await services.sandbox()
                return await play(launch, run.prompt(), there, partial(sandbox.open, profile=lent_out), listen)
            except NoAnswer:
                raise
            except OverlordError as problem:
                if not left:
                    raise NoRoom(str(problem)) from problem
    raise AssertionError("unreachable")


async def play(launch: Launch, prompt: str, workspace: Workspace, open: Open, listen: Listener | None = None) -> Ran:
    """One start of a program in a sandbox, to its end."""
    cli = launch.cli
    with folder_for_a_while() as made:
        folder = Path(made)
        (folder / EMPTY).mkdir()
        (folder / NOTHING).touch()
        there = await asyncio.to_thread(workspace_for, launch, workspace, folder)
        async with open(there) as room:  # whose the workspace is now, is known
            await asyncio.to_thread(lay_out, folder, prompt, cli.home(launch), there.path.stat())
            return await room.run(("/bin/sh", "-c", _START, "sh", made, *cli.command(launch)), on_output=listen)


def folder_for_a_while() -> tempfile.TemporaryDirectory[str]:
    """Named by whose it is, so that what a kill leaves behind is found."""
    return tempfile.TemporaryDirectory(prefix=f"{OURS}{os.getpid()}-")


def remove_leftovers(around: Path | None = None) -> int:
    """Folders whose process is gone: there is a prompt in them."""
    found = [each for each in (around or Path(tempfile.gettempdir())).glob(f"{OURS}*") if not _is_alive(each)]
    for folder in found:
        shutil.rmtree(folder, ignore_errors=True)
    return len(found)


def _is_alive(folder: Path) -> bool:
    """A name that is not of ours is not touched."""
    number = folder.name.removeprefix(OURS).partition("-")[0]
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OSError, OverflowError):
        return True
    return True


def lay_out(folder: Path, prompt: str, home: Mapping[str, str], owner: os.stat_result) -> None:
    """What it is told, and what its home begins with. It belongs to the sandbox's user; nobody else reads it."""
    (folder / "home").mkdir()
    (folder / "prompt.md").write_text(prompt)
    for name, text in home.items():
        file = folder / "home" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    if owner.st_uid != os.geteuid():
        for each in (folder, *folder.rglob("*")):
            os.chown(each, owner.st_uid, owner.st_gid)


def workspace_for(launch: Launch, around: Workspace, folder: Path) -> Workspace:
    """With the program, and without what would give that orders."""
    cli, program = launch.cli, launch.program
    hidden = [Shown(source=folder / EMPTY, at=at) for at in settings_in(around.path, cli)]
    silent = [Shown(source=folder / NOTHING, at=name) for name in orders_in(around.path)]
    return replace(
        around,
        readable=(*around.readable, *program.readable, folder),
        environ={**around.environ, **program.environ, **cli.environ(launch), "NO_COLOR": "1", "CI": "1"},
        shown=(*around.shown, *hidden, *silent),
    )


def settings_in(root: Path, cli: Cli) -> list[str]:
    """Folders that the program takes its settings from, each where it really is."""
    found = [_real(root, name) for name in cli.hidden if (root / name).is_symlink() or (root / name).is_dir()]
    return [at for at in found if (root / at).is_dir()]


def orders_in(root: Path) -> list[str]:
    """Files that programs take for instructions wherever they are; their words reach a minion as data, where at all."""
    found: list[str] = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name != ".git"]
        there = (str(Path(folder, name).relative_to(root)) for name in files if name.lower() in ORDERS)
        found += [at for name in there if (at := _real(root, name))]
        if len(found) > MOST_ORDERS:
            raise _refuse(f"this project has more than {MOST_ORDERS} files that would order a program about")
    return list(dict.fromkeys(found))


def _real(root: Path, name: str) -> str:
    """Where it is in the project, whatever links lead there. Raises NoAnswer where that cannot be hidden: the project
    itself, or something that is not of it."""
    path, top = root / name, root.resolve()
    real = path.resolve()
    if path.is_symlink() and (real == top or not real.is_relative_to(top)):
        raise _refuse(f"`{name}` of this project is a link that leads out of it, and would order a program about")
    return str(real.relative_to(top))


def _refuse(what: str) -> NoAnswer:
    step = "Remove that from the project, or name the engine `builtin` for this role."
    return NoAnswer(what, next_step=step, error=ErrorClass.RESOURCE)


def fixed_paths(root: Path, scope: Scope) -> tuple[str, ...]:
    """What is there and no write may touch: whole folders and files. The rest is told apart after the run."""
    if scope.mode is ScopeMode.UNRESTRICTED:
        return ()
    found = _fixed(root, "", scope, DEEPEST)
    return tuple(path for path, _ in zip(found, range(MOST_FIXED), strict=False))


def _fixed(folder: Path, at: str, scope: Scope, depth: int) -> Iterator[str]:
    for each in sorted(folder.iterdir()):
        path = f"{at}{each.name}"
        if path == ".git" or each.is_symlink():
            continue
        if not each.is_dir():
            if scope.refuse(path):
                yield path
        elif not any(_may_reach(path, pattern) for pattern in scope.patterns):
            yield path
        elif depth > 1 and not any(matches(f"{path}/x", pattern) for pattern in scope.patterns):
            yield from _fixed(each, f"{path}/", scope, depth - 1)


def _may_reach(folder: str, pattern: str) -> bool:
    """Whether something beneath the folder may match."""
    for part, wanted in zip(folder.split("/"), pattern.split("/"), strict=False):
        if "**" in wanted:
            return True
        if not matches(part, wanted):
            return False
    return len(pattern.split("/")) > len(folder.split("/"))
