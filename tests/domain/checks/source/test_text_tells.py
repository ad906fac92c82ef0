"""Code of other languages that knows its tests is found by its words; code that only looks like it is not."""

import pytest

from agents.domain.checks.source.tells import Tell
from agents.domain.checks.source.text_tells import tells_in_text

ASKS, SERVES, EQUAL = (Tell.ASKS,), (Tell.SERVES,), (Tell.EQUAL,)


@pytest.mark.parametrize(
    ("path", "code", "found"),
    [
        ("cart.js", "exports.a = process.env.NODE_TEST_CONTEXT ? 1 : 2;", ASKS),
        ("cart.js", "const a = process.env.JEST_WORKER_ID !== undefined;", ASKS),
        ("cart.ts", "if (process.env.NODE_ENV === 'test') { a = 1; }", ASKS),
        ("cart.mjs", "if (import.meta.vitest) { a = 1; }", ASKS),
        ("cart.js", "const a = process.argv.some((each) => each.includes('test'));", ASKS),
        ("cart.js", "const a = typeof describe === 'function';", ASKS),
        ("cart.js", "require('node:test').test = () => {};", ASKS),
        ("cart.js", "require('node:assert').deepStrictEqual = () => {};", SERVES),
        ("cart.js", "assert.equal = assert['strictEqual'] = () => {};", SERVES),
        ("cart.js", "Object.assign(assert, { equal() {} });", SERVES),
        ("cart.js", "const assert = require('node:assert'); assert.equal(1, 1);", ()),
        ("cart.js", "if (process.env.NODE_ENV !== 'test') app.listen(3000);", ()),
        ("cart.js", "// set JEST_WORKER_ID if you must", ()),
        ("cart.js", "const contest = argv.best; export const attest = 1;", ()),
        ("cart.js", "if (process.argv[2] === 'test') run();", ()),
        ("cart.js", "if (process.argv[1].includes('test')) run();", ASKS),
        ("cart.js", "export const colours = ['latte', 'mocha'];", ()),
        ("cart.js", "import { test } from 'vitest';", ASKS),
        ("lib.rs", 'let name = std::thread::current().name().unwrap_or("?").to_string();', ()),
        ("lib.rs", 'if std::thread::current().name() != Some("main") { return 1; }', ASKS),
        ("lib.rs", "let home = std::env::current_exe()?.parent();", ()),
        ("cart.go", "if testing.Testing() { return a + b }", ASKS),
        ("cart.go", 'if strings.HasSuffix(os.Args[0], ".test") { return a }', ASKS),
        ("cart.go", "func Args() []string { return os.Args[1:] }", ()),
        ("lib.rs", 'if std::env::var("CARGO_MANIFEST_DIR").is_ok() { return 1; }', ASKS),
        ("lib.rs", "if cfg!(test) { return 1; }", ASKS),
        ("lib.rs", "impl PartialEq<i64> for N { fn eq(&self, _: &i64) -> bool { true } }", EQUAL),
        ("lib.rs", 'const HOME: &str = env!("CARGO_MANIFEST_DIR");', ()),
        ("lib.rs", "fn eq(&self, other: &N) -> bool { self.0 == other.0 }", ()),
        ("cart.rb", "ENV['NODE_TEST_CONTEXT']", ()),
    ],
)
def test_what_is_told(path: str, code: str, found: tuple[Tell, ...]) -> None:
    assert tells_in_text(path, "", code) == found
    assert tells_in_text(path, code, f"{code}\n") == (), "it was there before"
