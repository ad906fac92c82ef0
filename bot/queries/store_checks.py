"""Whether the memory is whole: the database's own check, every hash chain, and state against replay."""

from dataclasses import dataclass
from pathlib import Path

from store.streams.archive import damaged_files
from store.streams.audit import Progress, examine, integrity, stalled_tasks
from store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    ok: bool
    detail: str
    next_step: str = ""


RESTORE = "Stop Overlord, keep a copy of the database, and restore the last good backup."


def check_file(tx: Transaction) -> list[Finding]:
    problem = integrity(tx.db)
    return [Finding(name="database", ok=not problem, detail=problem or "integrity check passed", next_step=RESTORE)]


def check_archive(folder: Path, tx: Transaction) -> Finding:
    damaged = damaged_files(tx.db, folder)
    return Finding(
        name="archive",
        ok=not damaged,
        detail=", ".join(damaged) or "every archived task is whole",
        next_step=f"Bring these files back into {folder} from the last good backup.",
    )


def check_database(tx: Transaction, tell: Progress = lambda done, all: None) -> list[Finding]:
    found = examine(tx.db, tell)
    broken, apart = found.broken, found.apart
    return [
        *check_file(tx),
        Finding(
            name="hash chains",
            ok=not broken,
            detail=", ".join(f"{task} breaks at fact {version}" for task, version in broken) or "every chain holds",
            next_step="Somebody changed the log by hand. " + RESTORE,
        ),
        Finding(
            name="state equals replay",
            ok=not apart,
            detail=", ".join(apart) or "what is stored follows from the facts",
            next_step=RESTORE,
        ),
        Finding(
            name="tasks that stand still",
            ok=not (still := stalled_tasks(tx.db)),
            detail=", ".join(still) or "every open task runs, has a timer or waits for a person",
            next_step="Say `stop` and then `resume` in its thread, and tell us what `overlord tasks show` says of it.",
        ),
    ]
