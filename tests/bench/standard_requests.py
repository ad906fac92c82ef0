"""Three requests on itsdangerous: a question, a fix of one word, and a change in three steps."""

from tests.bench.token_policy import Piece, Standard

SOURCE, TESTS = "src/itsdangerous", "tests/test_itsdangerous"


def _piece(module: str, before: str, name: str) -> Piece:
    """A function in a module, and a test of it in a file of its own."""
    function = f'def {name}() -> str:\n    """Say that a change came all the way."""\n    return "{module}"\n'
    head = f"from __future__ import annotations\n\nfrom itsdangerous.{module} import {name}\n"
    test = f'{head}\n\ndef test_{name}() -> None:\n    assert {name}() == "{module}"\n'
    source, tested = f"{SOURCE}/{module}.py", f"{TESTS}/test_{name}.py"
    edits = {source: (before, f"{function}\n\n{before}"), tested: ("", test)}
    return Piece(title=f"Add {name}", reads=(source, f"{TESTS}/test_encoding.py"), edits=edits)


QUESTION = Standard(
    name="question",
    request="How does a URL-safe serializer decide whether it compresses a payload?",
    reads=(f"{SOURCE}/url_safe.py", f"{SOURCE}/encoding.py"),
    answer=f"It compresses, and keeps that only if it is shorter ({SOURCE}/url_safe.py:60).",
)
FIX = Standard(
    name="fix",
    request="In the README, write “secure” instead of “safe and sound”",
    pieces=(
        Piece(
            title="Say secure in the README",
            reads=("README.md",),
            edits={"README.md": ("back safe and sound.", "back secure.")},
            kind="docs",
        ),
    ),
)
THREE = Standard(
    name="three",
    request="Add functions that say where they are, to encoding, to _json and to url_safe, each with a test",
    pieces=(
        _piece("encoding", "# The alphabet used by base64.urlsafe_*\n", "where_encoding"),
        _piece("_json", "class _CompactJSON:\n", "where_json"),
        _piece("url_safe", "class URLSafeSerializerMixin(Serializer[str]):\n", "where_url_safe"),
    ),
)
STANDARD = (QUESTION, FIX, THREE)
