"""Podman's own filter lets programs make namespaces and mount things; this takes from it what ours refuses."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from agents.workspace.sandbox.syscalls import NEW_NAMESPACES, refused

PODMANS = (Path("/etc/containers/seccomp.json"), Path("/usr/share/containers/seccomp.json"))


class _Entry(BaseModel):
    model_config = ConfigDict(extra="allow")

    names: list[str]
    action: str
    args: list[dict[str, int | str]] | None = None


class _Filter(BaseModel):
    model_config = ConfigDict(extra="allow")

    syscalls: list[_Entry]


_PLAIN_CLONE = _Entry(
    names=["clone"],
    action="SCMP_ACT_ALLOW",
    args=[{"index": 0, "value": sum(NEW_NAMESPACES), "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}],
)


def narrowed(written: str) -> str:
    """The same filter without the calls that no program under judgement needs."""
    filter = _Filter.model_validate_json(written)
    taken = {*refused(), "clone"}
    kept = [
        entry.model_copy(update={"names": [name for name in entry.names if name not in taken]})
        for entry in filter.syscalls
    ]
    shorter = filter.model_copy(update={"syscalls": [*(entry for entry in kept if entry.names), _PLAIN_CLONE]})
    return shorter.model_dump_json(exclude_none=True)


def option(engine: str, folder: Path) -> list[str]:
    """Docker's own is narrow enough."""
    theirs = next((path for path in PODMANS if path.exists()), None) if engine == "podman" else None
    if theirs is None:
        return []
    ours = folder / "seccomp.json"
    ours.write_text(narrowed(theirs.read_text()))
    return ["--security-opt", f"seccomp={ours}"]
