"""A diff on a page of the console: what is in it is shown, and does nothing."""

import re
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import given, strategies as st

from bot.platforms.console.diff_marks import Effort, changed_words, mark_rows, pieces
from bot.platforms.console.diff_rows import LINES_MOST, Row, lines_in, patch_of
from bot.platforms.console.diffs import diff_html
from tests.workspace import repositories as repos

TAGS = {"div", "details", "summary", "code", "span", "table", "tbody", "tr", "td", "p", "a"}
ANCHOR = re.compile(r"#?f\d+([LR]\d+)?")
PLAIN = ("open", "colspan", "tabindex", "aria-label")
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
        self.odd += [name for name, value in attrs if not _is_ours(name, value or "")]
        if tag == "tr":
            self.rows.append((dict(attrs)["class"] or "", []))
        if tag == "td":
            self.rows[-1][1].append("")

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.rows and self.rows[-1][1]:
            self.rows[-1][1][-1] += data


def _is_ours(name: str, value: str) -> bool:
    if name in ("id", "href"):
        return ANCHOR.fullmatch(value) is not None
    return name in PLAIN or (name == "class" and re.fullmatch(r"[a-z -]+", value) is not None)


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


def test_every_line_has_an_address_of_its_own() -> None:
    html = diff_html(DIFF).html
    for anchor in ("f1R1", "f1L2", "f1R2", "f2R1"):
        assert html.count(f'id="{anchor}"') == 1 and f'href="#{anchor}"' in html
    files = lines_in(DIFF)
    assert [name for name, _ in files] == ["src/a.py", "new file"]
    assert files[0][1] == {"R1", "L2", "R2", "R3"} and files[1][1] == {"R1"}


def test_the_list_of_files_says_how_much_each_changed_and_where_it_is() -> None:
    many = "".join(f"+{at}\n" for at in range(LINES_MOST))
    text = f"{DIFF}diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,{LINES_MOST} @@\n{many}{DIFF}"
    drawn = diff_html(text)
    assert [(f.number, f.name, f.added, f.removed) for f in drawn.files] == [
        (1, "src/a.py", 1, 1),
        (2, "new file", 1, 0),
        (3, "x", LINES_MOST, 0),
        (4, "src/a.py", 1, 1),
        (5, "new file", 1, 0),
    ]
    assert (drawn.added, drawn.removed) == (LINES_MOST + 4, 2)
    for file in drawn.files:
        assert f'id="f{file.number}"' in diff_html(text, file.page).html, file


def test_one_file_of_a_diff_is_a_patch_of_its_own() -> None:
    assert patch_of(DIFF, 1) + patch_of(DIFF, 2) == DIFF
    assert patch_of(DIFF, 3) == "" and patch_of("", 1) == ""


def test_words_that_changed_are_marked_on_both_sides() -> None:
    old, new = changed_words("return two(3)", "return zwei(3, 4)")
    assert [("return two(3)"[a:b]) for a, b, _ in old] == ["two"]
    assert [("return zwei(3, 4)"[a:b]) for a, b, _ in new] == ["zwei", ", 4"]
    assert changed_words("one two", "eins zwei drei") == ([], []), "two different lines are no change of words"
    assert changed_words("same", "same") == ([], [])
    assert changed_words("a " * 200, "b " * 200) == ([], []), "too long to compare"


def test_a_text_over_several_lines_is_coloured_as_one() -> None:
    rows = [
        Row("hunk", "@@ @@"),
        Row("same", 's = """a', 1, 1),
        Row("removed", "def b", 2),
        Row("added", "def c", None, 2),
    ]
    colours, _ = mark_rows("x.py", [*rows, Row("same", '"""', 3, 3)], Effort())
    assert all(kind == "s" for at in (2, 3) for *_, kind in colours[at]) and colours[2] and colours[3]
    assert mark_rows("x.unknown", rows, Effort())[0] == [[], [], [], []]
    assert mark_rows("x.py", [Row("added", "def f(): pass", None, 1)], Effort(letters=5))[0] == [[]], "no room"


@given(
    st.text(max_size=120), st.text(max_size=120), st.sampled_from(["x.py", "x.js", "x.yaml", "x.rs", "x.sh", "x.java"])
)
def test_marks_lose_no_character(one: str, two: str, name: str) -> None:
    rows = [Row("removed", one, 1), Row("added", two, None, 1)]
    for row, colours, words in zip(rows, *mark_rows(name, rows, Effort()), strict=True):
        assert "".join(part for part, _ in pieces(row.text, colours, words)) == row.text


def test_a_page_of_hostile_code_is_drawn_whole() -> None:
    """Where colouring takes too long it ends, and the text is there all the same."""
    line = ("a<" * 200)[:390]
    body = "".join(f"+{line}\n" for _ in range(300))
    read = Reading(diff_html(f"diff --git a/x.java b/x.java\n+++ b/x.java\n@@ -0,0 +1,300 @@\n{body}").html)
    assert sum(row == ("added", ["", str(at), "+", line]) for at, row in enumerate(read.rows)) == 300
