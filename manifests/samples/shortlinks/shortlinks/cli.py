"""`shortlinks add URL`, `shortlinks open CODE`, `shortlinks list`."""

import argparse
from pathlib import Path

from shortlinks.service import Shortener
from shortlinks.store import LinkStore


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="shortlinks")
    parser.add_argument("--file", type=Path, default=Path("links.json"))
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("url")
    commands.add_parser("open").add_argument("code")
    commands.add_parser("list")
    given = parser.parse_args(arguments)
    store = LinkStore(given.file)
    shortener = Shortener(store)
    if given.command == "add":
        print(shortener.shorten(given.url).code)
    elif given.command == "open":
        print(shortener.resolve(given.code))
    else:
        for link in store.all().values():
            print(f"{link.code}  {link.url}")
    return 0
