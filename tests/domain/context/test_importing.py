"""What a file imports, found by name among the files of a commit."""

import json
import time

import pytest

from agents.domain.context.importing import imports_of
from agents.domain.context.listing import Listing


def listing(*paths: str) -> Listing:
    return Listing(files=dict.fromkeys(paths, "0" * 40))


PYTHON = listing(
    "app/__init__.py", "app/store.py", "app/codes.py", "app/web/__init__.py", "app/web/views.py", "app/web/forms.py",
    "app/types.pyi", "app/app/store.py", "src/lib/deep.py", "tests/test_codes.py", "tests/test_store.py",
    "packages/pay/src/pay/card.py", "packages/pay/tests/test_card.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import app.store\nimport os, app.codes as c\n", ["app/store.py", "app/app/store.py", "app/codes.py"]),
        ("from app import codes  # codes\n", ["app/codes.py", "app/__init__.py"]),
        ("from app import (\n    forms,\n    codes,\n)\n", ["app/codes.py", "app/__init__.py"]),
        ("    from . import forms\n", ["app/web/forms.py", "app/web/__init__.py"]),
        ("from .. import store, codes\n", ["app/store.py", "app/codes.py", "app/__init__.py"]),
        ("from ..codes import code\n", ["app/codes.py"]),
        ("from ..web.forms import Form\n", ["app/web/forms.py"]),
        ("from ..types import Link\n", ["app/types.pyi"]),
        ("from lib.deep import x\n", ["src/lib/deep.py"]),
        ("from ...app import store\n", ["app/store.py", "app/__init__.py"]),
        ("from .... import app\nfrom .......climbs import x\nimport nothing_here\n", []),
        ("text = 'import app.store'\n", []),
    ],
)
def test_imports_of_python_are_found_beneath_the_tree(text: str, found: list[str]) -> None:
    assert imports_of("app/web/views.py", text, PYTHON) == found


def test_a_relative_import_means_one_file_and_a_package_of_several_is_found_in_its_own_folder() -> None:
    assert imports_of("app/codes.py", "from .store import Store\n", PYTHON) == ["app/store.py"], "not app/app/store.py"
    assert imports_of("packages/pay/tests/test_card.py", "from pay.card import Card\n", PYTHON) == [
        "packages/pay/src/pay/card.py"
    ]


SCRIPTS = listing(
    "web/a.ts", "web/b.tsx", "web/c/index.js", "src/d.vue", "web/e.ts", "web/f.d.ts", "web/g.mts", "web/h/index.d.ts",
    "web/i.ts", "web/i/index.ts", "web/j.svg", "web/k.js", "web/k.ts", "web/data.json", "f.ts", "index.ts",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import {b} from "./b"', ["web/b.tsx"]),
        ('const c = require("./c")', ["web/c/index.js"]),
        ('import c from "./c/"', ["web/c/index.js"]),
        ('import d from "@/d"', ["src/d.vue"]),
        ('await import("./e.js")', ["web/e.ts"]),
        ('export type { F } from "./f"', ["web/f.d.ts"]),
        ('import "./g.mjs"', ["web/g.mts"]),
        ('import { h } from "./h"', ["web/h/index.d.ts"]),
        ('export * from "./i"', ["web/i.ts"]),
        ('import icon from "./j.svg?raw"', ["web/j.svg"]),
        ('import "./k.js"', ["web/k.js"]),
        ('import data from "./data.json"', ["web/data.json"]),
        ('import root from ".."', ["index.ts"]),
        ('import "../../f"; import React from "react"; import "node:fs"', []),
    ],
)
def test_imports_of_scripts_name_a_file_or_the_index_of_a_folder(text: str, found: list[str]) -> None:
    assert imports_of("web/a.ts", text, SCRIPTS) == found


TSCONFIG = """{
  // what the application is made of
  "compilerOptions": {
    "baseUrl": ".", /* from here */
    "paths": {
      "@ui/*": ["./src/ui/*", "./src/shared/*"],
      "@ui/theme": ["./src/theme/main.ts"],
      "~config": ["./config/index"],
      "*.gen": ["./generated/*"],
    },
  },
}"""
APP = listing(
    "tsconfig.json", "src/ui/button.tsx", "src/shared/card.ts", "src/theme/main.ts", "src/ui/theme.ts",
    "config/index.ts", "generated/api.ts", "src/lib/plain.ts", "src/page.ts",
)  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("@ui/button", ["src/ui/button.tsx"]),
        ("@ui/card", ["src/shared/card.ts"]),
        ("@ui/theme", ["src/theme/main.ts"]),
        ("~config", ["config/index.ts"]),
        ("api.gen", ["generated/api.ts"]),
        ("src/lib/plain", ["src/lib/plain.ts"]),
        ("@ui/missing", []),
        ("react", []),
    ],
)
def test_aliases_of_typescript_are_followed_as_its_compiler_does(wanted: str, found: list[str]) -> None:
    read = {"tsconfig.json": TSCONFIG}
    assert imports_of("src/page.ts", f'import x from "{wanted}"', APP, lambda path: read.get(path, "")) == found


def test_imports_of_go_are_found_and_other_files_import_nothing() -> None:
    go = listing("cmd/main.go", "internal/store/db.go", "internal/store/db_test.go")
    text = 'package main\nimport (\n\t"fmt"\n\tst "example.com/x/internal/store"\n)\n'
    assert imports_of("cmd/main.go", text, go) == ["internal/store/db.go"]
    assert imports_of("README.md", "import app.store", PYTHON) == []


@pytest.mark.parametrize(
    "text",
    [
        'import "./' + "a/" * 100_000,
        "from " + "." * 200_000,
        'from "' * 40_000,
        json.dumps({"a": "x" * 200_000}),
        "import (" * 30_000,
    ],
)
def test_odd_text_costs_no_time(text: str) -> None:
    began = time.process_time()
    for path in ("web/a.ts", "app/codes.py", "cmd/main.go"):
        imports_of(path, text, SCRIPTS)
    assert time.process_time() - began < 2
