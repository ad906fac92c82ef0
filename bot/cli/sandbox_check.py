"""Whether minions can be locked in: really runs the sandbox, because being installed says little."""

import os
import shutil
import subprocess

from agents.catalog.overlord import Sandbox
from bot.cli.checks import PATIENCE, Check, fail, ok

_NOBODY = "65534"
# What breaks bubblewrap on real machines, by what it then says.
_FIXES: tuple[tuple[str, str], ...] = (
    (
        "uid map",
        "AppArmor forbids it (Ubuntu 24.04): install an AppArmor profile for bwrap with `userns,` in it, "
        "or set kernel.apparmor_restrict_unprivileged_userns=0.",
    ),
    (
        "new namespace",
        "This looks like a container: start it with --security-opt seccomp=unconfined and user namespaces, "
        "or run Overlord on the host.",
    ),
    ("unknown option", "bubblewrap is too old: install 0.8 or newer."),
)


def sandbox(wanted: Sandbox) -> Check:
    """The one that is asked for, or with `auto` the first that works."""
    kinds = [kind for kind in Sandbox if kind is not Sandbox.AUTO] if wanted is Sandbox.AUTO else [wanted]
    tried = []
    for kind in kinds:
        problem = _bubblewrap() if kind is Sandbox.BUBBLEWRAP else _engine(kind)
        if not problem:
            return ok("sandbox", f"{kind} works")
        tried.append((kind, problem))
    seen = "; ".join(f"{kind}: {what}" for kind, (what, _) in tried)
    return fail("sandbox", f"{seen}. Minions and gates will not run", tried[0][1][1])


def _bubblewrap() -> tuple[str, str] | None:
    path = shutil.which("bwrap")
    if path is None:
        return "not installed", "Install it: apt install bubblewrap (on macOS run Docker or Podman instead)."
    said = _run([*_as_nobody(), path, *_WALLS, "--", "true"])
    if said is None:
        return None
    fix = next((fix for sign, fix in _FIXES if sign in said), "Run the same command by hand to see why.")
    return said or "it ends without a word", fix


_WALLS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin"),
    *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev"),
    *("--remount-ro", "/", "--setenv", "PATH", "/usr/bin"),
)


def _as_nobody() -> list[str]:
    """bwrap that root starts is no wall: give root up first."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        return []
    return [setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--"]


def _engine(kind: Sandbox) -> tuple[str, str] | None:
    path = shutil.which(kind)
    if path is None:
        return "not installed", f"Install {kind}, or bubblewrap."
    said = _run([path, "info"])
    return None if said is None else ("its engine does not answer", f"Start {kind}.")


def _run(command: list[str]) -> str | None:
    """None if it went well; else the last line it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env={}, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.strip().splitlines()
    return None if done.returncode == 0 else (lines[-1] if lines else "")
