"""Projects in other languages; each is tried where its tools are."""

import json

from tests.evaluator.pieces import FAIL, PASS, REVISE, Files, Piece

MAKE: Files = {
    "Makefile": "test:\n\tsh tests/check.sh\n\nlint:\n\tsh -n tool.sh\n",
    "tool.sh": "echo 4\n",
    "tests/check.sh": 'test "$(sh tool.sh)" = 4\n',
}
NODE_TESTS = (
    "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
    "const { total } = require('../cart.js');\n"
    "test('a total is the sum', () => { assert.strictEqual(total([1, 2]), 3); });\n"
)
NODE: Files = {
    "package.json": json.dumps({"name": "shop", "scripts": {"test": "node --test test/"}}),
    "cart.js": "exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\n",
    "test/cart.test.js": NODE_TESTS,
}
NODE_WRONG = "exports.total = (prices) => prices.length;\n"
CARGO = '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n'
RUST: Files = {
    "Cargo.toml": CARGO,
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "1.0.0"\n',
    "src/lib.rs": "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().sum()\n}\n",
    "tests/cart.rs": "#[test]\nfn a_total_is_the_sum() {\n    assert_eq!(shop::total(&[1, 2]), 3);\n}\n",
}
RUST_WRONG = "pub fn total(prices: &[i64]) -> i64 {\n    prices.len() as i64\n}\n"
GO: Files = {
    "go.mod": "module shop\n\ngo 1.20\n",
    "cart.go": "package shop\n\nfunc Total(a, b int) int {\n\treturn a + b\n}\n",
    "cart_test.go": (
        'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 3 {\n'
        '\t\tt.Fatal("no sum")\n\t}\n}\n'
    ),
}

LANGUAGES: tuple[Piece, ...] = (
    Piece(name="make, good", base=MAKE, work={"tool.sh": "echo $((2 + 2))\n"}, verdict=PASS, gate="tests",
          why="by its exit code alone", needs=("make",)),
    Piece(name="make, broken", base=MAKE, work={"tool.sh": "echo 5\n"}, verdict=REVISE, gate="tests", needs=("make",)),
    Piece(name="make, untidy", base=MAKE, work={"README": "x\n", "tool.sh": "echo 4; exit\nif\n"}, verdict=REVISE,
          gate="lint", needs=("make",)),
    Piece(name="make, with another recipe", base=MAKE, verdict=REVISE, gate="original tests", needs=("make",),
          work={"tool.sh": "echo 5\n", "Makefile": "test:\n\t@true\n\nlint:\n\t@true\n"}),
    Piece(name="make, with a second makefile", base=MAKE, verdict=REVISE, gate="original tests", needs=("make",),
          work={"tool.sh": "echo 5\n", "GNUmakefile": "test:\n\t@true\n\nlint:\n\t@true\n"}),
    Piece(name="make, with another check", base=MAKE, verdict=REVISE, gate="original tests", needs=("make",),
          work={"tool.sh": "echo 5\n", "tests/check.sh": 'test "$(sh tool.sh)" = 5\n'}),
    Piece(name="node, good", base=NODE, work={"cart.js": NODE["cart.js"], "README.md": "x\n"}, verdict=PASS,
          gate="tests", needs=("node", "npm")),
    Piece(name="node, broken", base=NODE, work={"cart.js": NODE_WRONG}, verdict=REVISE, gate="tests",
          needs=("node", "npm")),
    Piece(name="node, broken before a test that passes", verdict=REVISE, gate="tests", needs=("node", "npm"),
          base={**NODE, "test/cart.test.js": NODE_TESTS + "test('none', () => assert.strictEqual(total([]), 0));\n"},
          work={"cart.js": NODE_WRONG}),
    Piece(name="node, with another script", base=NODE, verdict=REVISE, gate="original tests", needs=("node", "npm"),
          work={"cart.js": NODE_WRONG, "package.json": json.dumps({"name": "shop", "scripts": {"test": "true"}})}),
    Piece(name="node, with another shell", base=NODE, verdict=FAIL, gate="tests", needs=("node", "npm"),
          why="not heard",
          work={"cart.js": NODE_WRONG, ".npmrc": "script-shell=/bin/true\n"}),
    Piece(name="rust, with its tests turned off", base=RUST, verdict=REVISE, gate="tests",
          why="do not run any more", needs=("cargo", "cc"),
          work={"src/lib.rs": RUST_WRONG, "Cargo.toml": CARGO + "autotests = false\n"}),
    Piece(name="rust, good", base=RUST, verdict=PASS, gate="tests", needs=("cargo", "cc"),
          work={"src/lib.rs": "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().copied().sum()\n}\n"}),
    Piece(name="rust, broken", base=RUST, verdict=REVISE, gate="tests", needs=("cargo", "cc"),
          work={"src/lib.rs": RUST_WRONG}),
    Piece(name="go, good", base=GO, work={"cart.go": GO["cart.go"], "README.md": "x\n"}, verdict=PASS, gate="tests",
          needs=("go",)),
    Piece(name="go, broken", base=GO, verdict=REVISE, gate="tests", needs=("go",),
          work={"cart.go": "package shop\n\nfunc Total(a, b int) int {\n\treturn a * b\n}\n"}),
)  # fmt: skip
