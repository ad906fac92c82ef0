"""What a minion is told of its tests before it hands in."""

from pathlib import Path

from agents.workspace.gates.comparing.first_reading import findings, read_now

OLD = "def test_a():\n    assert f(1) == 1\n    assert f(2) == 2\n"


def test_a_minion_hears_of_hollow_weaker_and_lost_tests() -> None:
    before = {
        "tests/test_a.py": OLD,
        "tests/test_b.py": "def test_b():\n    assert f(3) == 3\n",
        "tests/test_c.py": OLD,
    }
    now = {
        "tests/test_a.py": OLD.replace("():\n", "():\n    return\n"),
        "tests/test_c.py": OLD,
        "tests/test_d.py": "def test_d():\n    assert f(4) or True\n",
    }
    hollow, lost, weaker = findings(before, now, changes_tests=False)
    assert hollow == "tests/test_d.py::test_d asserts only what is always true"
    assert "gone: test_b" in lost and weaker.endswith("test_a")
    assert findings(before, now, changes_tests=True) == (hollow,), "a person is asked about the others"


def test_good_tests_are_not_talked_about() -> None:
    more = OLD + "\n\ndef test_more():\n    assert f(5) == 5\n"
    assert findings({"tests/test_a.py": OLD}, {"tests/test_a.py": more}, changes_tests=False) == ()
    assert findings({"tests/test_a.py": OLD}, {"tests/unit/test_a.py": OLD}, changes_tests=False) == ()


def test_only_plain_test_files_of_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(OLD)
    (tmp_path / "tests" / "test_link.py").symlink_to("/etc/passwd")
    (tmp_path / "shop.py").write_text("x = 1\n")
    (tmp_path / "node_modules" / "tests").mkdir(parents=True)
    (tmp_path / "node_modules" / "tests" / "test_b.py").write_text(OLD)
    assert read_now(tmp_path) == {"tests/test_a.py": OLD}
