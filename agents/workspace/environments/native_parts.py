"""What Go and Rust projects need: their modules and crates, fetched into a folder of the layer."""

import re
import shlex
from collections.abc import Iterator

from agents.domain.project.environment import Ecosystem, Part
from agents.workspace.environments.seen import Machine, Seen, join

_REQUIRE = re.compile(r"(?m)^\s*require\b")
_CRATES = ("dependencies", "dev-dependencies", "build-dependencies")


def find(seen: Seen, machine: Machine) -> Iterator[Part]:
    yield from _go(seen, machine)
    yield from _rust(seen, machine)


def _go(seen: Seen, machine: Machine) -> Iterator[Part]:
    """Every module; what is vendored needs nothing."""
    for folder in seen.folders_with("go.mod"):
        vendored = seen.has(join(folder, "vendor/modules.txt"))
        if vendored or not _REQUIRE.search(seen.texts.get(join(folder, "go.mod"), "")):
            continue
        files = (join(folder, name) for name in ("go.mod", "go.sum", "go.work", "go.work.sum"))
        yield Part(
            ecosystem=Ecosystem.GO,
            folder=folder,
            seen=join(folder, "go.mod"),
            toolchain=machine.programs.get("go", "go"),
            setup=(f"{_into(folder)}go mod download",),
            locks=tuple(path for path in files if seen.has(path)),
        )


def _rust(seen: Seen, machine: Machine) -> Iterator[Part]:
    """From the root of a workspace where there is one."""
    folders = list(seen.folders_with("Cargo.toml"))
    for folder in [""] if "" in folders else folders:
        manifests = sorted(path for path in seen.blobs if path.endswith("Cargo.toml") and path.startswith(folder))
        if seen.has(join(folder, ".cargo/config.toml")) or not any(_needs_crates(seen, path) for path in manifests):
            continue
        locked = seen.has(join(folder, "Cargo.lock"))
        lock = join(folder, "Cargo.lock")
        yield Part(
            ecosystem=Ecosystem.RUST,
            folder=folder,
            seen=join(folder, "Cargo.toml"),
            toolchain=machine.programs.get("cargo", "cargo"),
            setup=(f"{_into(folder)}cargo fetch{' --locked' if locked else ''}",),
            locks=tuple([*manifests, lock] if locked else manifests),
            generated=() if locked else (lock,),
        )


def _into(folder: str) -> str:
    return f"cd {shlex.quote(folder)} && " if folder else ""


def _needs_crates(seen: Seen, path: str) -> bool:
    manifest = seen.toml(path)
    tables = [manifest.get(name) for name in _CRATES]
    workspace = manifest.get("workspace")
    tables.append(workspace.get("dependencies") if isinstance(workspace, dict) else None)
    return any(isinstance(table, dict) and table for table in tables)
