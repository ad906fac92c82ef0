"""A diff on a page of the console: what is in it is shown, and does nothing."""

import re
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import given, strategies as st

from bot.platforms.console.diffs import LINES_MOST, diff_html
from tests.workspace import repositories as repos

TAGS = {"div", "details", "summary", "code", "span", "table", "tbody", "tr", "td", "p"}
DIFF = """\
diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two <b>
+zwei & "drei"
 four
diff --git a/new file b/new file
new file mode 100644
--- /dev/null
+++ b/new file
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
"""


class Reading(HTMLParser):
    """The tags, and the rows as their classes and cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.odd: list[str] = []
        self.rows: list[tuple[str, list[str]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.odd += [name for name, _ in attrs if name not in ("class", "open", "colspan", "tabindex", "aria-label")]
        if tag == "tr":
            self.rows.append((dict(attrs)["class"] or "", []))
        if tag == "td":
            self.rows[-1][1].append("")

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.rows and self.rows[-1][1]:
            self.rows[-1][1][-1] += data


def test_lines_have_their_kind_their_numbers_and_their_words() -> None:
    read = Reading(diff_html(DIFF).html)
    assert read.rows[:4] == [
        ("hunk", ["@@ -1,3 +1,3 @@ def f():"]),
        ("same", ["1", "1", "", "one"]),
        ("removed", ["2", "", "−", "two <b>"]),
        ("added", ["", "2", "+", 'zwei & "drei"']),
    ]
    assert [word for word in read.words if word in ("src/a.py", "new file")] == ["src/a.py", "new file"]
    assert "+1" in read.words
    assert "−1" in read.words


def test_nothing_in_a_diff_becomes_markup() -> None:
    hostile = DIFF.replace("one", "<script>alert(1)</script>").replace("src/a.py", 'x"><img src=x onerror=y>.py')
    read = Reading(diff_html(hostile).html)
    assert set(read.tags) <= TAGS
    assert read.odd == []


def test_a_line_of_a_file_cannot_pass_for_a_header() -> None:
    text = DIFF.replace('+zwei & "drei"', "+++ b/innocent.py").replace("-two <b>", "--- a/innocent.py")
    read = Reading(diff_html(text).html)
    assert ("added", ["", "2", "+", "++ b/innocent.py"]) in read.rows
    assert ("removed", ["2", "", "−", "-- a/innocent.py"]) in read.rows
    assert "innocent.py" not in read.words


def test_what_a_reader_would_not_see_is_shown() -> None:
    """Attack 22."""
    shown = diff_html(DIFF.replace("one", "a\u202eb\u200bc\x1b[0m\rd")).html
    for number in ("U+202E", "U+200B", "U+001B", "U+000D"):
        assert number in shown
    assert not re.search("[\u202e\u200b\x1b\r]", shown)


def test_the_pages_of_a_huge_diff_show_every_line_once_with_its_number_and_its_file() -> None:
    count = LINES_MOST * 2 + 7
    body = "".join(f"+line {at}\n" for at in range(1, count + 1))
    text = f"{DIFF}diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{count} @@\n{body}"
    drawn = [diff_html(text, page) for page in (1, 2, 3)]
    assert [(each.page, each.pages) for each in drawn] == [(1, 3), (2, 3), (3, 3)]
    read = [Reading(each.html) for each in drawn]
    rows = [row for each in read for row in each.rows]
    for at in (1, LINES_MOST, LINES_MOST + 1, count):
        assert rows.count(("added", ["", str(at), "+", f"line {at}"])) == 1
    assert all("x" in each.words and f"+{count}" in each.words for each in read), (
        "each page names the file and its size"
    )
    assert max(len(each.rows) for each in read) <= LINES_MOST
    assert diff_html(text, 99) == drawn[-1] and diff_html(text, -1) == drawn[0]


def test_a_line_that_is_too_long_goes_on_below() -> None:
    long = "".join(f"{at:06d}" for at in range(60_000))
    pages = [diff_html(f"@@ -0,0 +1 @@\n+{long}\n", page) for page in (1, 2)]
    assert pages[0].pages == 1
    [_, first, *rest] = Reading(pages[0].html).rows
    assert first[1][1] == "1" and not any(row[1][1] for row in rest)
    assert "".join(row[1][-1] for row in (first, *rest)) == long
    many = "".join(f"+{'y' * 1_999}\n" for _ in range(1_200))
    assert diff_html(f"@@ -0,0 +1,1200 @@\n{many}").pages == 3, "a page is bounded in characters too"


def test_no_difference_is_said() -> None:
    assert "Nothing differs" in diff_html("").html


@given(st.text(max_size=300), st.text(alphabet="@+- \n0123,abd/gitff", max_size=300))
def test_any_text_is_drawn_with_our_tags_alone(one: str, two: str) -> None:
    for text in (one, two, f"diff --git a/x b/x\n@@ -1 +1 @@\n{one}"):
        read = Reading(diff_html(text).html)
        assert set(read.tags) <= TAGS
        assert read.odd == []


def test_a_real_diff_is_counted_as_git_counts_it(tmp_path: Path) -> None:
    folder = repos.somebodys(tmp_path / "x", {"a": "".join(f"{at}\n" for at in range(100)), "gone": "1\n2\n"})
    changed = {"a": "".join(f"{at if at % 7 else -at}\n" for at in range(3, 100)), "new one": "x\n"}
    repos.write(folder, changed)
    (folder / "gone").unlink()
    repos.git(folder, "add", ".")
    read = Reading(diff_html(repos.git(folder, "diff", "--cached") + "\n").html)
    stat = [line.split("\t") for line in repos.git(folder, "diff", "--cached", "--numstat").splitlines()]
    for kind, column in (("added", 0), ("removed", 1)):
        assert sum(row[0] == kind for row in read.rows) == sum(int(line[column]) for line in stat)
