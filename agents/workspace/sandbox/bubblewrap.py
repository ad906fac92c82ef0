"""The sandbox on Linux: bubblewrap, behind the walls of walls.py."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from functools import partial

from agents.ports import EndedBy, Listener, Profile, Ran, Room, Workspace
from agents.workspace.sandbox import instance
from agents.workspace.sandbox.launch import Launcher, launching, unusable, waiting
from agents.workspace.sandbox.limits.disk import Disk
from agents.workspace.sandbox.processes import running
from agents.workspace.sandbox.processes.output import readable
from agents.workspace.sandbox.session import session_of
from agents.workspace.sandbox.walls import walls
from agents.workspace.sandbox.walls.syscalls import descriptor_of

# The sandbox's first process must bury orphans and outlive none of them.
_FIRST = (walls.FIRST, "-c", '"$@"; exit $?')


class Bubblewrap:
    """Implements agents.ports.Sandbox."""

    name = "bubblewrap"

    def __init__(self, how: Launcher) -> None:
        self._how = how

    @property
    def has_filter(self) -> bool:
        """Whether system calls are filtered: libseccomp is installed."""
        return self._how.filter is not None

    @property
    def python(self) -> str:
        return self._how.tools.python

    def visible_entries(self, workspace: Workspace) -> Mapping[str, list[str]]:
        return walls.visible_entries(workspace, self._how.tools)

    def without_filter(self) -> "Bubblewrap":
        """The same walls without the filter, so that one does not hide a hole in the other."""
        return Bubblewrap(replace(self._how, filter=None))

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        return session_of(workspace, profile, partial(self._instance, workspace, profile))

    async def once(
        self, workspace: Workspace, profile: Profile, command: Sequence[str], on_output: Listener | None = None
    ) -> Ran:
        instance.encode_command(command)
        if profile.egress:
            async with self.open(workspace, profile) as room:
                return await room.run(command, on_output=on_output)
        began, ended = time.monotonic(), running.DIED
        async with running.listening(profile, on_output) as pipe, launching(self._how, workspace, profile) as launch:
            process = launch.process([*_FIRST, self._how.guard.token, *command], pipe.writable)
            pipe.close_ours()
            try:
                watching = launch.watch(process.pid, Disk(workspace.path))
                ended = await running.outcome(process.wait(), watching, pipe.output, profile.seconds)
                ended = await running.explain_ending(ended, launch.ran_out)
            finally:
                await running.end(process)
            ran = await running.result(pipe.output, ended, began)
            if ran.ended_by is EndedBy.EXIT and not launch.command_ran():
                raise unusable(ran.output)
            return ran

    async def _instance(self, workspace: Workspace, profile: Profile) -> instance.Instance:
        async with AsyncExitStack() as held:
            launch = await held.enter_async_context(launching(self._how, workspace, profile))
            ours, theirs = instance.control_pair()
            held.callback(ours.close)
            words, said = os.pipe()
            held.callback(os.close, words)
            program = descriptor_of(instance.INSIDE.read_bytes())
            port = walls.PROXY_PORT if profile.egress else 0
            inside = instance.inside_command(self._how.tools.python, f"/proc/self/fd/{program}", theirs.fileno(), port)
            try:
                process = launch.process([*inside, self._how.guard.token], said, theirs.fileno(), program)
            finally:
                os.close(program)
                os.close(said)
                theirs.close()
            end = partial(running.end, process)
            held.push_async_callback(end)
            try:
                await instance.ready(ours, profile.egress, held)
            except instance.NeverReady:
                await process.wait()
                raise unusable(readable(waiting(words).decode(errors="replace"))) from None
            return instance.Instance(ours, end, partial(launch.watch, process.pid), launch.ran_out, held.pop_all())
        raise AssertionError("an instance is returned, or an error is raised")
