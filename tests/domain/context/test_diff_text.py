"""A diff as models and people read it: without what may hold secrets, and nothing is left out silently."""

from agents.domain.context.diff_text import shown_diff, split

PLAIN = "diff --git a/src/app.py b/src/app.py\n@@ -1 +1 @@\n-a\n+b\n"
SECRET = "diff --git a/.env b/.env\n@@ -0,0 +1 @@\n+TOKEN=canary\n"
BINARY = "diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n"
SECRET_BINARY = "diff --git a/.env b/.env\nBinary files a/.env and b/.env differ\n"


def test_files_that_may_hold_secrets_are_named_and_not_shown() -> None:
    text, unread = shown_diff(PLAIN + SECRET + PLAIN)
    assert text == PLAIN + PLAIN
    assert unread == [".env (may hold secrets)"]


def test_binary_files_are_named_once() -> None:
    text, unread = shown_diff(BINARY + SECRET_BINARY)
    assert text == BINARY
    assert unread == ["logo.png (binary)", ".env (may hold secrets)"]


def test_another_line_end_does_not_make_a_heading() -> None:
    smuggled = "diff --git a/x b/x\n+y\r" + SECRET
    text, unread = shown_diff(smuggled)
    assert (text, unread) == (smuggled, [])


def test_parts_hold_every_line_once_and_say_which_file_they_go_on_with() -> None:
    lines = [f"+line {number}\n" for number in range(9)]
    diff = "diff --git a/x.py b/x.py\n@@ -0,0 +1,9 @@\n" + "".join(lines)
    parts = split(diff, 70)
    assert len(parts) > 1 and sum(part.changed for part in parts) == len(lines)
    assert all(part.text.startswith("diff --git a/x.py b/x.py") for part in parts)
    assert [line for part in parts for line in part.text.splitlines(keepends=True) if line in lines] == lines
    assert split(diff, 10_000)[0].text == diff and len(split(diff, 10_000)) == 1
    assert split("", 70) == []
