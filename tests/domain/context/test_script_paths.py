"""What settings of TypeScript say about where modules are: extended, referred to, and broken ones."""

import time

import pytest

from agents.domain.context.script_paths import (
    MOST_CONFIGS,
    ScriptPaths,
    inside,
    parse_with_comments,
    script_paths,
)


def found_for(path: str, **files: str) -> ScriptPaths:
    """Files by their names, with __ for a folder and without the ending."""
    texts = {f"{name.replace('__', '/')}.json": text for name, text in files.items()}
    return script_paths(path, texts, lambda path: texts.get(path, ""))


def places(found: ScriptPaths, wanted: str) -> list[str]:
    return list(found.places(wanted))


def test_the_nearest_settings_count_and_their_paths_begin_in_their_own_folder() -> None:
    files = {
        "tsconfig": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "apps__shop__tsconfig": '{"compilerOptions": {"paths": {"@/*": ["./app/*"]}}}',
    }
    assert places(found_for("apps/shop/app/a.ts", **files), "@/b") == ["apps/shop/app/b"]
    assert places(found_for("tools/a.ts", **files), "@/b") == ["src/b"]


def test_settings_that_say_nothing_leave_it_to_those_above() -> None:
    files = {"tsconfig": '{"compilerOptions": {"paths": {"@x": ["./x"]}}}', "a__tsconfig": "{}"}
    assert places(found_for("a/b.ts", **files), "@x") == ["x"]


def test_what_is_extended_holds_where_nothing_else_is_said() -> None:
    files = {
        "apps__shop__tsconfig": '{"extends": ["@tsconfig/node20", "../../base", "../../other.json"]}',
        "base": '{"compilerOptions": {"baseUrl": "./libs", "paths": {"@lib/*": ["*/src"]}}}',
        "other": '{"extends": "./base.json", "compilerOptions": {"paths": {"@lib/*": ["libs/*"]}}}',
    }
    found = found_for("apps/shop/a.ts", **files)
    assert places(found, "@lib/pay") == ["libs/pay", "libs/@lib/pay"], "the last one wins, and its paths are its own"
    own = '{"extends": "../../base", "compilerOptions": {"baseUrl": "src"}}'
    kept = found_for("apps/shop/a.ts", **{**files, "apps__shop__tsconfig": own})
    assert places(kept, "@lib/pay") == ["libs/pay/src", "apps/shop/src/@lib/pay"]


def test_settings_in_parts_are_looked_up_in_those_that_they_refer_to() -> None:
    files = {
        "tsconfig": '{"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./app"}]}',
        "tsconfig.node": '{"compilerOptions": {"composite": true}}',
        "app__tsconfig": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    }
    assert places(found_for("app.ts", **files), "@/b") == ["app/src/b"]


def test_a_circle_ends_and_so_does_a_long_chain() -> None:
    circle = {"tsconfig": '{"extends": "./b"}', "b": '{"extends": "./tsconfig"}'}
    assert found_for("a.ts", **circle) == ScriptPaths()
    chain = {f"t{n}": f'{{"extends": "./t{n + 1}"}}' for n in range(MOST_CONFIGS + 5)}
    last = {f"t{MOST_CONFIGS + 5}": '{"compilerOptions": {"baseUrl": "."}}', "tsconfig": '{"extends": "./t0"}'}
    assert found_for("a.ts", **chain, **last) == ScriptPaths()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "5", '{"compilerOptions": 5}', '{"compilerOptions": {"paths": [1], "baseUrl": 5}}',
     '{"compilerOptions": {"paths": {"*/*": ["a"], "b": "c"}}, "extends": 5, "references": [1, {"path": 2}]}',
     '{"compilerOptions": {"baseUrl": "../.."}, "extends": "../../../etc/passwd"}', "[" * 100_000],
)  # fmt: skip
def test_broken_or_climbing_settings_say_nothing(text: str) -> None:
    assert found_for("src/a.ts", tsconfig=text) == ScriptPaths()


def test_comments_and_last_commas_are_no_fault_and_stay_in_texts() -> None:
    said = parse_with_comments('\ufeff{"a": "// no /* comment, ]", /* one, */ "b": [1, 2, ], // end\n}')
    assert said == {"a": "// no /* comment, ]", "b": [1, 2]}


@pytest.mark.parametrize("text", ['"' + '\\"' * 120_000, "/*" * 120_000, "," * 60_000 + " " * 60_000, '"\n' * 120_000])
def test_odd_settings_cost_no_time(text: str) -> None:
    began = time.process_time()
    assert parse_with_comments(text) == {}
    assert time.process_time() - began < 1


def test_a_path_never_climbs_out() -> None:
    assert inside(["a"], "../../../etc/passwd") is None
    assert inside(["a", "b"], "../c/./d") == "a/c/d" and inside([], ".") == ""
