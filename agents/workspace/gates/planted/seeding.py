"""Puts planted tests into the files of a tree that is ours: for runners that find tests only there."""

import os
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LARGEST = 1 << 20
_ASIDE = {"node_modules", "vendor", "testdata", "target"}
_JS_TEST = re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$")
_JS_CODE = re.compile(r"\.[cm]?[jt]sx?$")
_JS_ONLY = re.compile(r"\b(?:it|test|describe|suite|context)\.only\b|\b(?:fit|fdescribe)\(")  # others are left out
_JS_SETTINGS = re.compile(r"package\.json$|(?:jest|vitest|vite)\.config\.\w+$|\.mocharc\.\w+$")
_GO_PACKAGE = re.compile(r"(?m)^package\s+(\w+)")
_GO_MODULE = re.compile(r"(?m)^module\s+\"?([^\s\"]+)")
_GO = """\
package {package}

import "testing"

func {fails}(t *testing.T) {{
	found := []int{{{first}, {second}}}
	if found[0]+found[1] != {third} {{
		t.Fatal("no sum")
	}}
}}

func {passes}(t *testing.T) {{
	found := []int{{{first}, {second}}}
	if found[0]+found[1] == {third} {{
		t.Fatal("a sum")
	}}
}}
"""
_RUST = """

#[cfg(test)]
mod {module} {{
    #[test]
    fn fails() {{
        assert_eq!([{first}, {second}].iter().sum::<i32>(), {third});
    }}

    #[test]
    fn passes() {{
        assert_ne!([{first}, {second}].iter().sum::<i32>(), {third});
    }}
}}
"""
_MOCHA = """
;(() => {{
  const own = globalThis.it || globalThis.test;
  if (typeof own !== 'function') return;
  const assert = process.getBuiltinModule ? process.getBuiltinModule('node:assert') : require('node:assert');
  own('{fails}', () => {{ assert.strictEqual({first} + {second}, {third}); }});
  own('{passes}', () => {{ assert.notStrictEqual({first} + {second}, {third}); }});
}})();
"""
_JEST = """
;(() => {{
  const found = {everything};
  const own = found.test ? found : typeof require === 'function' ? require('@jest/globals') : {{}};
  if (typeof own.test !== 'function') return;
  own.test('{fails}', () => {{ own.expect({first} + {second}).toBe({third}); }});
  own.test('{passes}', () => {{ own.expect({first} + {second}).not.toBe({third}); }});
}})();
"""
_VITEST = """
import {{ test as test_{module}, expect as expect_{module} }} from 'vitest';
test_{module}('{fails}', () => {{ expect_{module}({first} + {second}).toBe({third}); }});
test_{module}('{passes}', () => {{ expect_{module}({first} + {second}).not.toBe({third}); }});
"""


@dataclass(frozen=True, slots=True)
class Seed:
    """Two planted tests. `about`: where they were put, as the runner names it."""

    about: str
    fails: str
    passes: str


@dataclass(frozen=True, slots=True)
class Sown:
    seeds: tuple[Seed, ...] = ()
    whole: bool = True  # whether every place that holds tests has some


def sow_go(folder: Path) -> Sown:
    """A file of its own in each folder with tests; none beside a TestMain, whose own way to end would be hidden."""
    module = _GO_MODULE.search(_read(folder / "go.mod"))
    seeds, whole = list[Seed](), module is not None
    for place, names in _folders(folder, "go.mod") if module else ():
        texts = [_read(place / name) for name in names if name.endswith("_test.go")]
        packages = [found[1] for text in texts if (found := _GO_PACKAGE.search(text))]
        if not packages or any("func TestMain(" in text for text in texts):
            whole = whole and not packages
            continue
        own = f"TestZz{secrets.token_hex(6)}"
        package = min(packages, key=lambda name: name.endswith("_test"))
        inside = place.relative_to(folder).as_posix()
        about = module[1] if module and inside == "." else f"{module[1] if module else ''}/{inside}"
        seeds.append(Seed(about, f"{own}F", f"{own}P"))
        told = _GO.format(package=package, fails=f"{own}F", passes=f"{own}P", **_numbers())
        (place / f"zz_{secrets.token_hex(6)}_test.go").write_text(told)
    return Sown(tuple(seeds), whole)


def sow_cargo(folder: Path) -> Sown:
    """At the end of each crate's root and of each file of tests; none where a target brings a runner of its own."""
    places = [place for place, names in _folders(folder) if "Cargo.toml" in names]
    if any(re.search(r"(?m)^\s*harness\s*=\s*false", _read(place / "Cargo.toml")) for place in places):
        return Sown(whole=False)
    roots = [place / "src" / name for place in places for name in ("lib.rs", "main.rs")]
    roots += [path for place in places for path in sorted((place / "tests").glob("*.rs"))]
    seeds = list[Seed]()
    for path in roots:
        own = f"planted_{secrets.token_hex(6)}"
        if _append(path, _RUST.format(module=own, **_numbers())):
            seeds.append(Seed(path.relative_to(folder).as_posix(), f"{own}::fails", f"{own}::passes"))
    return Sown(tuple(seeds))


def sow_mocha(folder: Path, fails: str, passes: str) -> Sown:
    return _sow_js(folder, fails, passes, lambda path: _MOCHA)


def sow_jest(folder: Path, fails: str, passes: str) -> Sown:
    def template(path: Path) -> str:
        typed = path.suffix in (".ts", ".tsx", ".mts", ".cts")
        return _JEST.replace("{everything}", "globalThis as any" if typed else "globalThis")

    return _sow_js(folder, fails, passes, template)


def sow_vitest(folder: Path, fails: str, passes: str) -> Sown:
    return _sow_js(folder, fails, passes, lambda path: _VITEST)


def _sow_js(folder: Path, fails: str, passes: str, template: Callable[[Path], str]) -> Sown:
    if any("hreshold" in _read(path) for path in folder.iterdir() if _JS_SETTINGS.match(path.name)):
        return Sown(whole=False)  # what is missed by coverage would be hidden by a planted test that fails
    seeds, whole = list[Seed](), True
    for place, names in _folders(folder):
        in_tests = {"test", "tests", "__tests__"}.intersection(place.relative_to(folder).parts)
        for name in names:
            path = place / name
            if not _JS_TEST.search(name) and not (in_tests and _JS_CODE.search(name)):
                continue
            named = {"fails": fails, "passes": passes, "module": secrets.token_hex(6), **_numbers()}
            if _JS_ONLY.search(_read(path)) or not _append(path, template(path).format(**named)):
                whole = False
            else:
                seeds.append(Seed(path.relative_to(folder).as_posix(), fails, passes))
    return Sown(tuple(seeds), whole)


def _numbers() -> dict[str, int]:
    """Others each time: what makes assertions good must make these good."""
    first, second = (secrets.randbelow(900) + 100 for _ in range(2))
    return {"first": first, "second": second, "third": first + second + secrets.randbelow(50) + 1}


def _folders(folder: Path, apart: str = "") -> Iterator[tuple[Path, list[str]]]:
    """With the names of their files; no link is followed. `apart`: whoever holds such a file is another project."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        if apart and here != folder and apart in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name not in _ASIDE and name[:1] not in "._")
        yield here, sorted(name for name in names if not (here / name).is_symlink())


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        return ""
    return path.read_text(errors="replace")


def _append(path: Path, text: str) -> bool:
    """Only to what is a file of this tree itself."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("a") as file:
        file.write(text)
    return True
