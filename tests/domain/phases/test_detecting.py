"""Statements that import something, of Python by its syntax tree and of scripts by what they say."""

import pytest

from agents.domain.phases.detecting import statements


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", "import os, redis.client as r\n", [(1, "import os", "os"), (1, "import redis.client", "redis")]),
        ("a.py", "def f():\n    from . import b\n", [(2, "from . import b", "")]),
        ("a.py", '"""\nimport fake\n"""\nx = "import fake"\n', []),
        ("a.py", "import (\n", []),
        ("a.py", "(" * 5000, []),
        ("a.ts", "import { a } from './b'\n", [(1, "import { a } from './b'", "")]),
        (
            "a.ts",
            "/* import x from 'x' */\n// require('y')\nconst u = 'http://z'; require('@a/b/c')\n",
            [(3, "", "@a/b")],
        ),
        ("a.tsx", "import type { X } from 'react'\nimport 'side-effect'\n", [(1, "", "react"), (2, "", "side-effect")]),
        ("a.md", "import x\n", []),
    ],
)
def test_what_code_imports_is_found_with_its_line(path: str, text: str, found: list[tuple[int, str, str]]) -> None:
    seen = [*statements(path, text)]
    assert [(each.line, each.module) for each in seen] == [(line, module) for line, _, module in found]
    assert all(each.text == words for each, (_, words, _) in zip(seen, found, strict=True) if words)
