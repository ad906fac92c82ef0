"""The projects of the corpus, and the small change that is made in each. README.md says how they were chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

ADDED = "overlord_walk"  # what the change adds, and its test calls
SAYS = "merged"


class Client(StrEnum):
    PIP = "pip"
    NPM = "npm"
    APT = "apt-get"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Text that is added to the end of files; a file that is not there is made."""

    added: Mapping[str, str]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self.added)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    place: str  # of the table in README.md
    client: Client
    package: str
    version: str  # as the client names it
    sha256: str
    change: Change
    tag: str = ""  # where its version is not the client's
    generated: tuple[str, ...] = ()  # files that building makes, and no commit holds
    planted: Mapping[str, str] = field(default_factory=dict)
    tested: bool = True
    needs: str = ""  # the program without which its checks cannot run

    @property
    def upstream(self) -> str:
        return self.tag or self.version

    @property
    def name(self) -> str:
        """As a folder, and as Overlord's project."""
        return self.place


def _python(source: str, module: str, test: str = "", *, future: bool = False) -> Change:
    """A function with a docstring and types, and a test of it in a file of its own."""
    head = "from __future__ import annotations\n\n" if future else ""
    body = f'\n\ndef {ADDED}() -> str:\n    """Say that a change came all the way."""\n    return "{SAYS}"\n'
    tests = f'{head}from {module} import {ADDED}\n\n\ndef test_{ADDED}() -> None:\n    assert {ADDED}() == "{SAYS}"\n'
    return Change(added={source: body, **({test: tests} if test else {})})


_RED = "def test_planted_red():\n    assert 1 == 2, 'red before any change'\n"
_FLAKY = "import os\n\n\ndef test_planted_flaky():\n    assert os.urandom(1)[0] % 2, 'fails every other time'\n"

PYTHON = (
    Project(
        place="py-src",
        client=Client.PIP,
        package="itsdangerous",
        version="2.2.0",
        sha256="e0050c0b7da1eea53ffaf149c0cfbb5c6e2e2b69c4bef22c81fa6eb73e5f6173",
        change=_python("src/itsdangerous/encoding.py", "itsdangerous.encoding", "tests/test_itsdangerous/test_walk.py"),
    ),
    Project(
        place="py-hatch-vcs",
        client=Client.PIP,
        package="humanize",
        version="4.17.0",
        sha256="1d6a36c453dbfbb3f0b34601d2e0b4ce5d48d780305cd45714843f0068fde6ac",
        change=_python("src/humanize/lists.py", "humanize.lists", "tests/test_walk.py", future=True),
        generated=("src/humanize/_version.py",),
    ),
    Project(
        place="py-setuptools-scm",
        client=Client.PIP,
        package="pytest-mock",
        version="3.17.0",
        sha256="e36576e0985e01027e999891e7a966c67822d40c89ef1b4c8b6e22737e3590b4",
        change=_python("src/pytest_mock/_util.py", "pytest_mock._util", "tests/test_walk.py"),
        generated=("src/pytest_mock/_version.py",),
    ),
    Project(
        place="py-groups",
        client=Client.PIP,
        package="click",
        version="8.5.1",
        sha256="9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4",
        change=_python("src/click/globals.py", "click.globals", "tests/test_walk.py"),
    ),
    Project(
        place="py-plugin",
        client=Client.PIP,
        package="pytest-timeout",
        version="2.4.0",
        sha256="7e68e90b01f9eff71332b25001f85c75495fc4e3a836701876183c4bcfd0540a",
        change=_python("pytest_timeout.py", "pytest_timeout", "test_walk.py"),
    ),
    Project(
        place="py-flat",
        client=Client.PIP,
        package="toolz",
        version="1.2.0",
        sha256="9667a038e9d6ecba37995e26cb2f59ec6420b6ad8dd9677de59db9b956b08490",
        change=_python("toolz/utils.py", "toolz.utils", "toolz/tests/test_walk.py"),
    ),
    Project(
        place="py-requires",
        client=Client.PIP,
        package="markdown-it-py",
        version="4.3.0",
        sha256="91a58fa5b72c71a40cf7177250fd767480d7a2bb3ac426ccfb76fb90305fdaaa",
        change=_python("markdown_it/common/utils.py", "markdown_it.common.utils", "tests/test_walk.py"),
    ),
    Project(
        place="py-poetry",
        client=Client.PIP,
        package="tomlkit",
        version="0.15.2",
        sha256="83e32755ba1d20d9340bd069ee97e9f6232ba2346b63ffcba425de01f7e327a6",
        change=_python("tomlkit/_utils.py", "tomlkit._utils", "tests/test_walk.py"),
    ),
    Project(
        place="py-no-tests",
        client=Client.PIP,
        package="tomli-w",
        version="1.2.0",
        sha256="2dd14fac5a47c27be9cd4c976af5a12d87fb1f0b4512f81d69cce3b35ae25021",
        change=_python("src/tomli_w/_writer.py", "tomli_w._writer"),
        tested=False,
    ),
    Project(
        place="py-red",
        client=Client.PIP,
        package="cachetools",
        version="8.0.0",
        sha256="5ed01bd676800d51f0025605e4fd8ad0891550513e7b0a4c3da478463764e5c3",
        change=_python("src/cachetools/keys.py", "cachetools.keys", "tests/test_walk.py"),
        planted={"tests/test_planted.py": _RED},
    ),
    Project(
        place="py-flaky",
        client=Client.PIP,
        package="inflection",
        version="0.5.1",
        sha256="1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417",
        change=_python("inflection/__init__.py", "inflection", "test_walk.py"),
        planted={"test_planted.py": _FLAKY},
    ),
)

_RUST = f'\n/// Says that a change came all the way.\npub fn {ADDED}() -> &\'static str {{\n    "{SAYS}"\n}}\n'


def _rust(source: str, crate: str) -> Change:
    test = f'#[test]\nfn walk() {{\n    assert_eq!({crate}::{ADDED}(), "{SAYS}");\n}}\n'
    return Change(added={source: _RUST, "tests/walk.rs": test})


RUST = (
    Project(
        place="rust-1",
        client=Client.APT,
        package="rust-fnv",
        version="1.0.7-1",
        tag="1.0.7",
        sha256="3f9eec918d3f24069decb9af1554cad7c880e2da24a9afd88aca000531ab82c1",
        change=_rust("lib.rs", "fnv"),
        needs="cargo",
    ),
    Project(
        place="rust-2",
        client=Client.APT,
        package="rust-ident-case",
        version="1.0.1-1",
        tag="1.0.1",
        sha256="b9e0384b61958566e926dc50660321d12159025e767c18e043daf26b70104c39",
        change=_rust("src/lib.rs", "ident_case"),
        needs="cargo",
    ),
)


def _node(source: str, exported: str, test: str, tests: str) -> Change:
    body = f"\n{exported}.overlordWalk = function () {{\n\treturn '{SAYS}';\n}};\n"
    return Change(added={source: body, test: tests})


def _tape(name: str) -> str:
    head = f"'use strict';\n\nvar {name} = require('../');\nvar test = require('tape');\n\n"
    return f"{head}test('walk', function (t) {{\n\tt.equal({name}.overlordWalk(), '{SAYS}');\n\tt.end();\n}});\n"


_MOCHA = f"""
describe('overlordWalk()', function () {{
  it('should come all the way', function () {{
    expect(ms.overlordWalk()).to.be('{SAYS}');
  }});
}});
"""

NODE = (
    Project(
        place="node-1",
        client=Client.NPM,
        package="minimist",
        version="1.2.8",
        sha256="350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83",
        change=_node("index.js", "module.exports", "test/walk.js", _tape("parse")),
        needs="npm",
    ),
    Project(
        place="node-2",
        client=Client.APT,
        package="node-ms",
        version="2.1.3+~cs0.7.31-3",
        tag="2.1.3",
        sha256="272d3244fbe595576551031a5bcbc3683729ba3b77f9679f9b5b5e4ccb23ae1c",
        change=_node("index.js", "module.exports", "tests.js", _MOCHA),
        needs="npm",
    ),
    Project(
        place="node-3",
        client=Client.NPM,
        package="concat-map",
        version="0.0.2",
        sha256="c1c1a31224d37e31316b81df5ebb89c3ec58b3acc0aaf122fa7b3b0248b9d1dc",
        change=_node("index.js", "module.exports", "test/walk.js", _tape("concatMap")),
        needs="npm",
    ),
    Project(
        place="node-4",
        client=Client.NPM,
        package="through",
        version="2.3.8",
        sha256="16b27a8c0fb13e5727356b328d72dbbc5f20bd909252f14d19da344e9354573e",
        change=_node("index.js", "through", "test/walk.js", _tape("through")),
        needs="npm",
    ),
)


def _go(source: str, package: str) -> Change:
    folder = source.rpartition("/")[0]
    comment = "// OverlordWalk says that a change came all the way."
    body = f'\n{comment}\nfunc OverlordWalk() string {{\n\treturn "{SAYS}"\n}}\n'
    call = f'\tif OverlordWalk() != "{SAYS}" {{\n\t\tt.Fatal("not merged")\n\t}}\n'
    test = f'package {package}\n\nimport "testing"\n\nfunc TestOverlordWalk(t *testing.T) {{\n{call}}}\n'
    return Change(added={source: body, f"{folder}/walk_test.go".lstrip("/"): test})


GO = (
    Project(
        place="go-1",
        client=Client.APT,
        package="golang-github-google-uuid",
        version="1.3.0-1",
        tag="1.3.0",
        sha256="7f7f37c47980e0afcc178a9ffc390bec29ed2371919b4c07658eb01791a7f921",
        change=_go("util.go", "uuid"),
        needs="go",
    ),
    Project(
        place="go-2",
        client=Client.APT,
        package="golang-github-beorn7-perks",
        version="1.0.1-1",
        tag="1.0.1",
        sha256="317c52b249703ba4e331360e7b87385ac1cf714d41084ff02f4737e3082dbb9d",
        change=_go("topk/topk.go", "topk"),
        needs="go",
    ),
)

PROJECTS = {project.place: project for project in (*PYTHON, *NODE, *GO, *RUST)}
