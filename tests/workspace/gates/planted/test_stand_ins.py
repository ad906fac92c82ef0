"""Files that would be loaded in place of Python's own modules."""

from agents.workspace.gates.planted.stand_ins import stand_ins


def test_modules_of_taken_names_where_modules_are_searched() -> None:
    added = ["json.py", "src/pytest.py", "src/_pytest/__init__.py", "lib/src/sitecustomize.py", "random.cpython-311.so"]
    assert stand_ins(added, ["", "src", "lib/src"]) == sorted(added)


def test_other_files_are_nobodys_business() -> None:
    fine = ["shop/json.py", "tests/random.py", "test/__init__.py", "json", "queue/data.txt", "src/shop/types.py"]
    assert stand_ins([*fine, "json.md", "json/data.py"], ["", "src"]) == []


def test_programs_that_tests_are_started_by() -> None:
    added = ["bin/python3", "node", "tools/pytest", "docs/python.md", "shop/node.js", "shop/pythons"]
    assert stand_ins(added, [""]) == ["bin/python3", "node", "tools/pytest"]
