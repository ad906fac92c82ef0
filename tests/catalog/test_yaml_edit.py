"""A settings file that a person wrote is changed in one place, and stays theirs in all others."""

import pytest
from hypothesis import given, strategies as st

from agents.catalog.yaml import Value, Where, parse_yaml, write_yaml
from agents.catalog.yaml_edit import CannotEdit, append_item, as_lines, put_value, remove_item, remove_value

FILE = """\
# our own Overlord
projects:
  - name: shop      # the old one
    path: ~/src/shop
    gates:
      tests: pytest -q   # quick
# the new one
  - name: billing
    path: ~/src/billing

# who decides
groups:
  approver: [console:ana, console:ben]  # both
  admin:
    - console:ana

models:
  primary: claude   # the good one
"""
SHOP: dict[str, Value] = {"name": "site", "path": "~/src/site", "gates": {"tests": "make test"}}


def added(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_a_project_is_put_after_the_last_and_comments_stay_where_they_are() -> None:
    after = append_item(FILE, "x", ("projects",), SHOP)
    new = "  - name: site\n    path: ~/src/site\n    gates:\n      tests: make test\n"
    assert f"~/src/billing\n{new}\n# who decides\n" in after and after.replace(new, "") == FILE
    assert remove_item(after, "x", ("projects",), 2) == FILE


def test_an_item_goes_with_its_lines_alone() -> None:
    after = remove_item(FILE, "x", ("projects",), 0)
    gone = "  - name: shop      # the old one\n    path: ~/src/shop\n    gates:\n      tests: pytest -q   # quick\n"
    assert after == FILE.replace(gone, ""), "its own comments go with it"
    data = parse_yaml(after, name="x").data
    assert data["projects"] == [{"name": "billing", "path": "~/src/billing"}]


def test_members_are_put_into_lists_of_both_kinds() -> None:
    one = append_item(FILE, "x", ("groups", "approver"), "slack:T1:U1")
    assert "  approver: [console:ana, console:ben, slack:T1:U1]  # both\n" in one
    assert remove_item(one, "x", ("groups", "approver"), 2) == FILE
    two = append_item(FILE, "x", ("groups", "admin"), "console:ben")
    assert added(FILE, two) == ["    - console:ben"]
    three = append_item(FILE, "x", ("groups", "tech_lead"), "console:ben")
    assert added(FILE, three) == ["  tech_lead:", "    - console:ben"]
    assert "    - console:ben\n\nmodels:" in three


def test_a_value_is_changed_in_its_line() -> None:
    assert put_value(FILE, "x", ("models", "primary"), "gpt") == FILE.replace("claude ", "gpt ")
    assert added(FILE, put_value(FILE, "x", ("models", "critic"), "gpt")) == ["  critic: gpt"]
    assert remove_value(put_value(FILE, "x", ("models", "critic"), "gpt"), "x", ("models", "critic")) == FILE


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "home: /x", "projects: []\n", "projects:\n"])
def test_what_is_not_there_is_begun(text: str) -> None:
    after = append_item(text, "x", ("projects",), SHOP)
    assert parse_yaml(after, name="x").data["projects"] == [SHOP]
    assert all(line in after for line in text.splitlines() if line.startswith(("#", "home")))
    assert after.endswith("projects:\n  - name: site\n    path: ~/src/site\n    gates:\n      tests: make test\n")


def test_an_empty_list_of_a_group_is_filled() -> None:
    text = "groups:\n  approver: []  # nobody yet\n  admin: [console:ana]\n"
    after = append_item(text, "x", ("groups", "approver"), "console:ben")
    assert after == "groups:\n  approver:  # nobody yet\n    - console:ben\n  admin: [console:ana]\n"
    assert put_value("models:\n", "x", ("models", "primary"), "gpt") == "models:\n  primary: gpt\n"


def test_a_list_that_would_be_empty_goes() -> None:
    alone = append_item("# mine\n", "x", ("projects",), SHOP)
    assert remove_item(alone, "x", ("projects",), 0).strip() == "# mine"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("projects: [{name: a, path: b},\n  {name: c, path: d}]\n", ("projects",)),
        ("groups: {approver: [a]}\n", ("groups", "admin")),
        ('models: "a: b"\n', ("models", "primary")),
    ],
)
def test_what_it_cannot_change_it_leaves_and_says_what_to_write(text: str, where: Where) -> None:
    with pytest.raises(CannotEdit) as caught:
        if where == ("projects",):
            append_item(text, "x", where, SHOP)
        else:
            put_value(text, "x", where, "v")
    assert caught.value.lines.strip()


NAMES = st.text(alphabet="abcxyz", min_size=1, max_size=5)


@given(st.lists(NAMES, min_size=1, max_size=4), NAMES, st.booleans())
def test_any_list_is_appended_to_and_taken_from(names: list[str], name: str, more: bool) -> None:
    projects: list[Value] = [{"name": each, "path": f"~/{each}"} for each in names]
    text = as_lines(("projects",), projects) + "\n" + ("# end\nhome: /x\n" if more else "")
    after = append_item(text, "x", ("projects",), {"name": name})
    assert parse_yaml(after, name="x").data["projects"] == [*projects, {"name": name}]
    assert remove_item(after, "x", ("projects",), len(names)) == text
    assert write_yaml({"projects": projects})
