"""`overlord`, also as `python -m bot`."""

import gc
import os
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("agents", "store", "manifests")


def main() -> None:
    if strangers := foreign_packages():
        print(f"{' '.join(strangers)}", file=sys.stderr)
        sys.exit(1)
    # pydantic would read the metadata of everything that is installed, to find plugins that nobody has
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if sys.argv[1:] == ["up"]:
        gc.disable()  # what is loaded now stays: to look through it again and again is a tenth of the start
        from bot.start import start_plainly

        sys.exit(start_plainly())
    from bot.cli import app

    app(prog_name="overlord")


def foreign_packages() -> list[str]:
    """What to say of each of our package names that another distribution has taken; it would win without a word."""
    ours = Path(__file__).resolve().parents[1]
    found = ((name, find_spec(name)) for name in PACKAGES)
    places = ((name, Path(spec.origin).resolve().parent if spec and spec.origin else None) for name, spec in found)
    return [
        f"`import {name}` finds {place or 'nothing'}, not {ours / name}. "
        "Install Overlord in a virtual environment of its own (`make run` does)."
        for name, place in places
        if place != ours / name
    ]


if __name__ == "__main__":
    main()
