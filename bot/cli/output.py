"""How commands print: aligned columns for people, JSON for programs."""

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import typer

from agents.domain.text.sanitize import clean, one_line

GAP = "  "
WIDEST = 60  # a cell on a terminal; in a pipe and in --json it is whole
PAGE = 200  # rows that a list prints at a time


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; cells are one line each."""
    widest = WIDEST if sys.stdout.isatty() else sys.maxsize
    cells = [list(headings), *([one_line(clean(cell), widest) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = (GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, none: str) -> None:
    typer.echo(table(headings, rows) if rows else none)


def show_json(value: object) -> None:
    """Dataclasses, dates, enums and all, as JSON."""
    from pydantic import TypeAdapter

    typer.echo(TypeAdapter(Any).dump_json(value, indent=2).decode())


def tell_more(shown: str, option: str) -> None:
    """A list never ends without saying that it goes on. Beside the output, which a program may read."""
    typer.echo(f"{shown}; there are more. Add {option} to see the next.", err=True)


def local(at: datetime | None) -> str:
    """A moment in the reader's own zone."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}" if at else ""
