"""Small programs in JavaScript, Go and Rust: functions of whole numbers, each with a fault that some cases show."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Case = tuple[tuple[int, ...], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """The body is the same text in each language, but for what `Language.body` says otherwise."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[str, ...]
    fault: tuple[str, str]  # what is written, and what is written instead
    shows: tuple[Case, ...]  # what it should give, where the fault gives something else
    hides: tuple[Case, ...]
    gives: tuple[Case, ...]  # what the faulty one gives where it shows


Shows = tuple[tuple[int, ...], int, int]  # what it is given, what it should give, and what the faulty one gives


def _function(
    name: str,
    parameters: str,
    body: Sequence[str],
    fault: tuple[str, str],
    shows: Sequence[Shows],
    hides: Sequence[Case],
) -> Function:
    return Function(
        name=name,
        parameters=tuple(parameters.split()),
        body=tuple(body),
        fault=fault,
        shows=tuple((given, right) for given, right, _ in shows),
        hides=tuple(hides),
        gives=tuple((given, wrong) for given, _, wrong in shows),
    )


FUNCTIONS = (
    _function("clamp", "value low high",
              ["IF value < low {", "  return low;", "}", "IF value > high {", "  return high;", "}", "return value;"],
              ("return high;", "return low;"), [((50, 0, 10), 10, 0), ((11, 2, 10), 10, 2)], [((5, 0, 10), 5)]),
    _function("days", "year",
              ["IF year % 400 == 0 {", "  return 366;", "}", "IF year % 100 == 0 {", "  return 365;", "}",
               "IF year % 4 == 0 {", "  return 366;", "}", "return 365;"],
              ("% 100", "% 200"), [((1900,), 365, 366), ((2100,), 365, 366)], [((2024,), 366), ((2023,), 365)]),
    _function("price", "net tax", ["return net + net * tax / 100;"], ("net + net", "net - net"),
              [((100, 20), 120, 80), ((200, 10), 220, 180)], [((100, 0), 100)]),
    _function("triangle", "number", ["return number * (number + 1) / 2;"], ("number + 1", "number - 1"),
              [((4,), 10, 6), ((3,), 6, 3)], [((0,), 0)]),
    _function("distance", "first second", ["IF first > second {", "  return first - second;", "}",
                                           "return second - first;"],
              ("return second - first;", "return first - second;"), [((1, 5), 4, -4), ((0, 3), 3, -3)],
              [((5, 1), 4), ((2, 2), 0)]),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    name: str
    needs: tuple[str, ...]  # programs
    around: dict[str, str]  # files that every program has
    source: Callable[[str], str]  # where a function stands
    tests: Callable[[str], str]
    function: Callable[[Function, Sequence[str]], str]
    head: Callable[[str], str]  # of a file of tests
    test: Callable[[str, str, str], str]  # its name, the function's and the body
    assertion: Callable[[str, Case], str]
    skipped: Callable[[str], str]  # a test that is left out
    leaves: str  # ends the program as if all were well, inside a function

    def write(self, function: Function, *, faulty: bool = False) -> str:
        lines = [line.replace(*function.fault) if faulty else line for line in function.body]
        return self.function(function, lines)

    def write_tests(
        self, function: Function, cases: Sequence[Case], mark: Callable[[str], str] = lambda test: test
    ) -> str:
        found = [self.head(function.name)]
        for at, case in enumerate(cases):
            test = self.test(f"{function.name}_{at}", function.name, self.assertion(function.name, case))
            found.append(mark(test))
        return "\n".join(found)


def _call(name: str, case: Case) -> str:
    return f"{name}({', '.join(map(str, case[0]))})"


def _js_function(function: Function, lines: Sequence[str]) -> str:
    body = "\n".join("  " + line.replace("IF ", "if (").replace(" {", ") {").replace("==", "===") for line in lines)
    head = f"function {function.name}({', '.join(function.parameters)}) {{"
    return f"{head}\n{body}\n}}\nexports.{function.name} = {function.name};\n"


NODE = Language(
    name="node",
    needs=("node", "npm"),
    around={"package.json": '{"name": "kit", "scripts": {"test": "node --test test/"}}\n'},
    source=lambda name: f"{name}.js",
    tests=lambda name: f"test/{name}.test.js",
    function=_js_function,
    head=lambda name: (
        "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
        f"const {{ {name} }} = require('../{name}.js');\n"
    ),
    test=lambda name, of, body: f"test('{name}', () => {{\n  {body}\n}});\n",
    assertion=lambda name, case: f"assert.strictEqual({_call(name, case)}, {case[1]});",
    skipped=lambda test: test.replace("test('", "test.skip('"),
    leaves="process.exit(0);",
)


def _go_name(name: str) -> str:
    return name.title().replace("_", "")


def _go_function(function: Function, lines: Sequence[str]) -> str:
    body = "\n".join("\t" + line.replace("IF ", "if ").replace("  ", "\t").rstrip(";") for line in lines)
    return f"package kit\n\nfunc {_go_name(function.name)}({', '.join(function.parameters)} int) int {{\n{body}\n}}\n"


GO = Language(
    name="go",
    needs=("go",),
    around={"go.mod": "module kit\n\ngo 1.19\n"},
    source=lambda name: f"{name}.go",
    tests=lambda name: f"{name}_test.go",
    function=_go_function,
    head=lambda name: 'package kit\n\nimport "testing"\n',
    test=lambda name, of, body: f"func Test{_go_name(name)}(t *testing.T) {{\n{body}\n}}\n",
    assertion=lambda name, case: (
        f"\tif found := {_call(_go_name(name), case)}; found != {case[1]} {{\n\t\tt.Fatal(found)\n\t}}"
    ),
    skipped=lambda test: test.replace("{\n", '{\n\tt.Skip("later")\n', 1),
    leaves="syscall.Exit(0)",
)


def _rust_function(function: Function, lines: Sequence[str]) -> str:
    body = "\n".join("    " + line.replace("IF ", "if ").replace("  ", "    ") for line in lines)
    parameters = ", ".join(f"{name}: i64" for name in function.parameters)
    return f"pub fn {function.name}({parameters}) -> i64 {{\n{body}\n}}\n"


RUST = Language(
    name="rust",
    needs=("cargo", "cc"),
    around={
        "Cargo.toml": '[package]\nname = "kit"\nversion = "1.0.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "kit"\nversion = "1.0.0"\n',
    },
    source=lambda name: f"src/{name}.rs",
    tests=lambda name: f"tests/{name}.rs",
    function=_rust_function,
    head=lambda name: f"use kit::{name}::{name};\n",
    test=lambda name, of, body: f"#[test]\nfn {name}_is_right() {{\n    {body}\n}}\n",
    assertion=lambda name, case: f"assert_eq!({_call(name, case)}, {case[1]});",
    skipped=lambda test: test.replace("#[test]\n", "#[test]\n#[ignore]\n"),
    leaves="if true { std::process::exit(0) }",
)
LANGUAGES = (NODE, GO, RUST)
