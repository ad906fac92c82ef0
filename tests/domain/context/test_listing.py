"""What is found by name among the files of a commit."""

import pytest

from agents.domain.context.listing import Listing, imports_of, related_to, resolve_path, tree_lines


def listing(*paths: str, more: int = 0) -> Listing:
    return Listing(files=dict.fromkeys(paths, "0" * 40), more=more)


PYTHON = listing(
    "app/__init__.py", "app/store.py", "app/codes.py", "app/web/__init__.py", "app/web/views.py", "app/web/forms.py",
    "src/lib/deep.py", "tests/test_codes.py", "tests/test_store.py", "other/tests/test_codes.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import app.store\nimport os, app.codes as c\n", ["app/store.py", "app/codes.py"]),
        ("from app import store, codes  # codes\n", ["app/store.py", "app/codes.py", "app/__init__.py"]),
        ("from app.store import Store\n", ["app/store.py"]),
        ("from app import (\n    store,\n    codes,\n)\n", ["app/store.py", "app/codes.py", "app/__init__.py"]),
        ("    from . import forms\n", ["app/web/forms.py", "app/web/__init__.py"]),
        ("from ..codes import code\n", ["app/codes.py"]),
        ("from lib.deep import x\n", ["src/lib/deep.py"]),
        ("from .......climbs import x\nimport nothing_here\n", []),
        ("text = 'import app.store'\n", []),
    ],
)
def test_imports_of_python_are_found_beneath_the_tree(text: str, found: list[str]) -> None:
    assert imports_of("app/web/views.py", text, PYTHON) == found


def test_imports_of_scripts_and_of_go_are_found() -> None:
    scripts = listing("web/a.ts", "web/b.tsx", "web/c/index.js", "src/d.vue", "web/e.ts", "f.ts")
    text = 'import {b} from "./b"\nconst c = require("./c")\nimport d from "@/d"\nimport("./e.js")\nimport "../../f"\n'
    assert imports_of("web/a.ts", text, scripts) == ["web/b.tsx", "web/c/index.js", "src/d.vue", "web/e.ts"]
    go = listing("cmd/main.go", "internal/store/db.go", "internal/store/db_test.go")
    text = 'package main\nimport (\n\t"fmt"\n\tst "example.com/x/internal/store"\n)\n'
    assert imports_of("cmd/main.go", text, go) == ["internal/store/db.go"]
    assert imports_of("README.md", "import app.store", PYTHON) == []


def test_a_file_is_related_to_its_tests_and_a_test_to_what_it_tests() -> None:
    assert related_to("app/codes.py", PYTHON) == ["other/tests/test_codes.py", "tests/test_codes.py"]
    assert related_to("tests/test_store.py", PYTHON) == ["app/store.py"]
    mixed = listing("a/button.tsx", "a/button.test.tsx", "a/button.spec.ts", "b/button_test.go", "c/ButtonTest.java")
    assert len(related_to("a/button.tsx", mixed)) == 4


def test_the_tree_begins_where_the_work_is() -> None:
    lines = list(tree_lines(PYTHON, ["app/web/views.py"]))
    assert lines[0] == "app/web/: __init__.py views.py forms.py"
    assert lines[1].startswith("app/: ")
    crowd = listing(*(f"many/{n}" for n in range(1000)))
    assert next(tree_lines(crowd, [])).endswith("(+940)")


def test_a_path_never_climbs_out() -> None:
    assert resolve_path(["a"], "../../../etc/passwd") == ""
    assert resolve_path(["a", "b"], "../c/./d") == "a/c/d"
