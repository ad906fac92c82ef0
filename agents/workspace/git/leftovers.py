"""What checks and compilers leave in a tree, and no work is: git passes over it, whatever .gitignore says."""

from collections.abc import Collection, Iterator

# By the manifest that tells of such tools; the first are of any project. Patterns are those of .gitignore.
_LEFT: dict[str, tuple[str, ...]] = {
    "": (
        *("__pycache__/", "*.py[co]", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".hypothesis/", ".benchmarks/"),
        *(".coverage", ".coverage.*", "htmlcov/", ".tox/", ".nox/", ".eggs/", "*.egg-info/"),
    ),
    "package.json": (".nyc_output/", "/coverage/", ".eslintcache", "*.tsbuildinfo"),
    "go.mod": ("/coverage.out",),
    "Cargo.toml": ("target/", "Cargo.lock"),
}


def leftovers(committed: Collection[str]) -> tuple[str, ...]:
    """For a commit with these paths. What it holds something of is no leftover in this project."""
    names = {"", *(path.rpartition("/")[2] for path in committed)}
    wanted = (pattern for manifest, patterns in _LEFT.items() if manifest in names for pattern in patterns)
    return tuple(pattern for pattern in wanted if not any(_kept(pattern, committed)))


def _kept(pattern: str, committed: Collection[str]) -> Iterator[bool]:
    plain = pattern.strip("/")
    if pattern.startswith("/"):
        yield from (path == plain or path.startswith(f"{plain}/") for path in committed)
    elif "*" not in pattern:
        yield from (plain in path.split("/") for path in committed)
