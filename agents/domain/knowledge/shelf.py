"""All notes of a project at one commit, screened: what is no note, or should not be shown, is named and left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agents.domain.knowledge.document import INDEX, PLACE, Note, Problem, read_note
from agents.domain.knowledge.note import Folder
from agents.domain.text.redact import Redact

MOST = 300  # notes of a project
_FOLDERS = frozenset(map(str, Folder))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
    commit: str = ""  # that they were read at

    @property
    def by_name(self) -> dict[str, Note]:
        return {note.name: note for note in self.notes}


EMPTY = Shelf()


def read_shelf(files: Mapping[str, bytes | None], redact: Redact, commit: str = "") -> Shelf:
    """`files` by path, as they are committed; None: what is there is no file."""
    found = [*_read_all(files, redact)]
    notes = tuple(each for each in found if isinstance(each, Note))
    return Shelf(notes=notes, problems=tuple(each for each in found if isinstance(each, Problem)), commit=commit)


def _read_all(files: Mapping[str, bytes | None], redact: Redact) -> Iterator[Note | Problem]:
    room = MOST
    for path, content in sorted(files.items()):
        if path == INDEX or not path.startswith(f"{PLACE}/"):
            continue
        folder, _, name = path.removeprefix(f"{PLACE}/").rpartition("/")
        if content is None:
            yield Problem(path=path, what="it is a link or no file", next_step="Write the note itself there.")
        elif not path.endswith(".md") or folder not in _FOLDERS:
            where = ", ".join(f"{each}/" for each in Folder)
            yield Problem(path=path, what="it is in none of the folders", next_step=f"Notes are NAME.md in {where}")
        elif room == 0:
            yield Problem(
                path=path, what=f"there are more than {MOST} notes", next_step="Remove what no longer applies."
            )
        elif _tells_secrets(content, redact):
            step = "Remove it, and let it be replaced where it is used."
            yield Problem(path=path, what="it holds what looks like a secret", next_step=step)
        else:
            room -= 1
            yield read_note(Folder(folder), name.removesuffix(".md"), content)


def _tells_secrets(content: bytes, redact: Redact) -> bool:
    text = content.decode(errors="replace")
    return redact(text) != text
