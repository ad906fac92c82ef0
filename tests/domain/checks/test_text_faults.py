"""Faults that are planted in programs whose language is not read."""

from agents.domain.checks.text_faults import faults_in_text

TEXT = "// a + b\nconst total = (a, b) => a + b;\nfunction most(a) {\n  return a > 10 && a;\n}\n"


def test_each_fault_is_one_change_of_one_line() -> None:
    found = list(faults_in_text(TEXT, is_typed=False))
    assert [set(each.splitlines()) - set(TEXT.splitlines()) for each in found] == [
        {"const total = (a, b) => a - b;"},
        {"  return a <= 10 && a;"},
        {"  return a > 10 || a;"},
        {"  return a > 110 && a;"},
        {"  return null;"},
    ]
    assert not any("// a - b" in each for each in found)


def test_what_only_a_value_of_its_type_may_be_is_not_made_nothing() -> None:
    assert not any("return null" in each for each in faults_in_text(TEXT, is_typed=True))
