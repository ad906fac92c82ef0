"""Installs a command-line agent from the npm registry: a pinned package, no script of it run, its content compared."""

import asyncio
import json
import platform
import shutil
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.models.known_engines import Package
from agents.domain.text.sanitize import clean, one_line
from agents.domain.workflow.roles import EngineName
from agents.workspace.programs.finding import Programs

SECONDS = 900.0


class NotInstalled(OverlordError):
    """Nothing of it is left behind."""


async def install(programs: Programs, engine: EngineName) -> Path:
    """Its program. Raises NotInstalled."""
    package = programs.known[engine].package(platform.machine())
    if package is None:
        raise NotInstalled(
            f"there is no package of {engine} for {platform.machine()} that was tried",
            next_step=f"Install it yourself, and name it under `engines: {engine}: path:` in overlord.yaml.",
        )
    folder = programs.folder(engine)
    making = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    try:
        await _npm(making, package)
        _compare(making, package)
        shutil.rmtree(folder, ignore_errors=True)
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    found = programs.find_installed(engine)
    if found is None:
        raise NotInstalled(f"{package.name} has no program where it was", next_step="Report this, with its version.")
    found.chmod(0o755)
    return found


async def _npm(folder: Path, package: Package) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is not on this machine", next_step="Install Node.js with npm, version 20 or newer.")
    process = await asyncio.create_subprocess_exec(
        *(npm, "install", "--prefix", str(folder), "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"),
        *("--no-update-notifier", f"{package.name}@{package.version}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    try:
        async with asyncio.timeout(SECONDS):
            _, said = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise NotInstalled("npm was not done in time", next_step="Try again with a better connection.") from None
    if process.returncode:
        lines = [line for line in clean(said.decode(errors="replace")).splitlines() if "npm error" in line]
        raise NotInstalled(f"npm: {one_line(' '.join(lines), 300)}", next_step="Correct that, and try again.")


def _compare(folder: Path, package: Package) -> None:
    """npm has checked the content against this hash; whether it is the one that was tried is ours to say."""
    lock = json.loads((folder / "node_modules" / ".package-lock.json").read_text())
    came = lock["packages"].get(f"node_modules/{package.name}", {})
    if came.get("integrity") != package.integrity or len(lock["packages"]) != 1:
        raise NotInstalled(
            f"{package.name} {package.version} is not what was tried with this version of Overlord",
            next_step="Do not use it. Compare the registry that npm is set to, and report this.",
        )
