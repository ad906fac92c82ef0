"""Reads and counts files for a pack: beneath the worktree, no link followed, no secret, nothing binary or huge."""

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from agents.domain.context.packing import Part, Section, escape_headings, secret_path
from agents.domain.errors import OverlordError
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import one_line
from agents.ports import Files

Key = TypeVar("Key")
Value = TypeVar("Value")
LARGEST = 256 * 1024
KEPT = 8_000_000  # characters of texts that are kept ready
MOST_COUNTS = 400_000  # lines; then it begins anew
_LINE = re.compile(r"([0-9a-f]{40}) ([0-9]{1,9})")
SAID = 16  # texts that are no file, such as trees


class Recent(Generic[Key, Value]):
    """A cache of the last few values that never change, such as what belongs to a commit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = dict[Key, Value]()

    def get(self, key: Key) -> Value | None:
        return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> Value:
        """Two threads may compute the same value at once; the later one is kept."""
        self._kept[key] = value
        while len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)
        return value


class Counts:
    """`path` is in the state folder; None keeps them in memory alone. A line that a crash tore is passed over."""

    def __init__(self, count: Callable[[str], int], path: Path | None = None) -> None:
        self._count = count
        self._path = path
        self._lock = threading.Lock()
        self._known = _read(path) if path else dict[str, int]()

    def __call__(self, text: str) -> int:
        return self._count(text)

    def of_blob(self, blob: str, text: str) -> int:
        """Of a file's text as it is packed; `blob` names what the file holds."""
        known = self._known.get(blob)
        if known is None:
            known = self._count(text)
            self._keep(blob, known)
        return known

    def _keep(self, blob: str, tokens: int) -> None:
        with self._lock:
            self._known[blob] = tokens
            if self._path is None:
                return
            with suppress(OSError):  # a full disk costs time, not work
                _append(self._path, f"{blob} {tokens}\n".encode())


def _append(path: Path, line: bytes) -> None:
    """One short write: two processes do not mix their lines."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def blob_id(content: bytes, digest: str = "sha1") -> str:
    """As git names it."""
    return hashlib.new(digest, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _read(path: Path) -> dict[str, int]:
    try:
        said = path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return {}
    if said.count("\n") > MOST_COUNTS:
        path.unlink(missing_ok=True)
        return {}
    return {blob: int(tokens) for blob, tokens in _LINE.findall(said)}


class _NotShown(Exception):
    """Says why."""


class Texts:
    """What files hold, redacted and counted; kept by blob id, for minions read the same files again and again."""

    def __init__(self, counts: Counts, redact: Redact) -> None:
        self.counts = counts
        self._redact = redact
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0
        self._said = Recent[str, tuple[str, int]](SAID)
        self._lock = threading.Lock()

    def section(self, part: Part, name: str, text: str) -> Section:
        """What is said more than once, as the tree of a commit is, is redacted and counted once."""
        known = self._said.get(text)
        if known is None:
            shown = escape_headings(self._redact(text))
            known = self._said.keep(text, (shown, self.counts(shown)))
        return Section(part=part, name=name, text=known[0], tokens=known[1])

    def of_file(self, part: Part, path: str, blob: str, content: bytes) -> Section:
        text = self._kept.get(blob)
        if text is None:
            text = escape_headings(self._redact(_decode(content)))
            self._keep(blob, text)
        return Section(part=part, name=path, text=text, tokens=self.counts.of_blob(blob, text))

    def _keep(self, blob: str, text: str) -> None:
        with self._lock:
            if blob not in self._kept:
                self._kept[blob] = text
                self._size += len(text)
            while self._size > KEPT:
                self._size -= len(self._kept.popitem(last=False)[1])


class Reading:
    """One reading of a worktree. About `most` tokens are read; `only` names the blobs that may be shown, and `without`
    says which files a role leaves aside."""

    def __init__(
        self,
        tree: Files,
        texts: Texts,
        *,
        most: int,
        only: Mapping[str, str] | None = None,
        without: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self._tree = tree
        self._texts = texts
        self._room = most
        self._only = only
        self._without = without
        self._seen: set[str] = set()
        self.skipped: list[str] = []

    def sections(self, part: Part, paths: Iterable[str]) -> Iterator[Section]:
        """Each file once, in the first section that names it."""
        for path in paths:
            if path in self._seen:
                continue
            self._seen.add(path)
            try:
                section = self._file(part, path)
            except _NotShown as why:
                self.skipped.append(f"{path} ({why})")
                continue
            self._room -= section.tokens
            yield section

    def head(self, path: str, lines: int) -> Iterator[Section]:
        """The beginning of a file that is only there for orientation."""
        for section in self.sections(Part.RELATED, [path] if path and lines else []):
            text = "\n".join(section.text.splitlines()[:lines])
            yield replace(section, text=text, tokens=self._texts.counts(text))

    def outline(self, part: Part, path: str) -> Iterator[Section]:
        """A file that is read to tell what others may call of it: nothing else of it is shown, so it may be one that
        the role leaves aside."""
        with suppress(_NotShown):
            yield self._read(part, path)

    def settings_of(self, path: str) -> str:
        """Of a file that says where others are, and is itself not shown. Empty: it cannot be read."""
        try:
            return _decode(self._tree.read(path, LARGEST))
        except (_NotShown, OverlordError, OSError):
            return ""

    def _file(self, part: Part, path: str) -> Section:
        if self._without(path):
            raise _NotShown("left aside")
        return self._read(part, path)

    def _read(self, part: Part, path: str) -> Section:
        if secret_path(path):
            raise _NotShown("may hold secrets")
        if self._room <= 0 and part is not Part.TARGET:
            raise _NotShown("no room")
        try:
            content = self._tree.read(path, LARGEST)
        except FileNotFoundError:
            raise _NotShown("not there yet") from None
        except OverlordError as problem:
            raise _NotShown(one_line(problem.what.rpartition("opened: ")[2])) from None
        if self._only is not None and not _is_blob(self._only.get(path, ""), content):
            raise _NotShown("not as it is committed")
        return self._texts.of_file(part, path, blob_id(content), content)


def _is_blob(wanted: str, content: bytes) -> bool:
    """Git may keep a file with other line ends than the worktree has."""
    digest = "sha256" if len(wanted) == 64 else "sha1"
    return wanted in (blob_id(content, digest), blob_id(content.replace(b"\r\n", b"\n"), digest))


def _decode(content: bytes) -> str:
    if b"\0" in content[:8192]:
        raise _NotShown("binary")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _NotShown("not UTF-8 text") from None
