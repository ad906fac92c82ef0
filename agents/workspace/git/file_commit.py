"""A commit that writes a few files on top of another, straight into git's store: no folder, no filter, no hook."""

from collections.abc import Mapping

from agents.domain.work.git_names import Message
from agents.ports import CheckoutFailed
from agents.workspace.git.git import Git
from agents.workspace.git.mirror import Mirror
from agents.workspace.git.objects import tree_of

_FOLDER, _FILE = ("040000", "tree"), ("100644", "blob")
Entries = dict[str, tuple[str, str, str]]  # by name: mode, kind, id


async def write_files(mirror: Mirror, start: str, files: Mapping[str, bytes], message: Message) -> str:
    """As late as what it stands on: made again after a kill, it is the same commit."""
    start, git = await mirror.fetch_commit(start), Git(directory=mirror.place)
    before = await tree_of(mirror.place, start)
    tree = await _tree_with(git, before, {tuple(path.split("/")): content for path, content in files.items()})
    if tree == before:
        return start
    time = await git.line("log", "--no-walk", "--format=%ct", start)
    return await mirror.write_commit(tree, (start,), message, f"@{time} +0000")


async def _tree_with(git: Git, tree: str, files: Mapping[tuple[str, ...], bytes]) -> str:
    """The tree with these files in it; `tree` is empty where there is none yet."""
    entries = await _entries(git, tree) if tree else {}
    beneath = dict[str, dict[tuple[str, ...], bytes]]()
    for path, content in files.items():
        if len(path) > 1:
            beneath.setdefault(path[0], {})[path[1:]] = content
        else:
            blob = await git.line("hash-object", "-w", "--stdin", stdin=content)
            entries[_free(path[0], _FILE, entries)] = (*_FILE, blob)
    for name, inside in beneath.items():
        there = entries.get(_free(name, _FOLDER, entries), ("", "", ""))[2]
        entries[name] = (*_FOLDER, await _tree_with(git, there, inside))
    lines = "".join(f"{mode} {kind} {id}\t{name}\0" for name, (mode, kind, id) in entries.items())
    return await git.line("mktree", "-z", stdin=lines.encode(errors="surrogateescape"))


def _free(name: str, wanted: tuple[str, str], entries: Entries) -> str:
    """Nothing else may stand there: a link would lead elsewhere."""
    found = entries.get(name)
    if found and (found[1] != wanted[1] or not found[0].startswith(wanted[0][:3])):
        raise CheckoutFailed(f"{name} is a link or something else", next_step="Remove it from the repository.")
    return name


async def _entries(git: Git, tree: str) -> Entries:
    listed = (await git.run("ls-tree", "-z", "--end-of-options", tree)).decode(errors="surrogateescape")
    found: Entries = {}
    for line in listed.split("\0")[:-1]:
        about, _, name = line.partition("\t")
        mode, kind, id = about.split()
        found[name] = (mode, kind, id)
    return found
