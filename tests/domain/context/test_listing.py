"""What is found by name among the files of a commit."""

from agents.domain.context.listing import Listing, related_to, tree_lines


def listing(*paths: str, more: int = 0) -> Listing:
    return Listing(files=dict.fromkeys(paths, "0" * 40), more=more)


PYTHON = listing(
    "app/__init__.py", "app/store.py", "app/codes.py", "app/web/__init__.py", "app/web/views.py", "app/web/forms.py",
    "src/lib/deep.py", "tests/test_codes.py", "tests/test_store.py", "other/tests/test_codes.py",
)  # fmt: skip


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
