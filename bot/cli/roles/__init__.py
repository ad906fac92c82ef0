"""`overlord roles`: as whom minions and reviewers work, whether a file is sound, and what a role would read."""

import typer

app = typer.Typer(rich_markup_mode=None)
