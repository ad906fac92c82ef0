"""What a project needs installed: what may be written, what wins, and which hash a layer has."""

from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from agents.domain.project.environment import (
    VALUE_MOST,
    Ecosystem,
    Environment,
    Part,
    WrittenEnvironment,
    lay_over,
)
from agents.domain.project.packages import Host, places_of

NODE = Part(
    ecosystem=Ecosystem.NODE,
    folder="web",
    toolchain="node 20",
    setup=("npm ci",),
    prepare=("npm run build",),
    locks=("web/package-lock.json",),
    generated=("web/schema.ts",),
    variables={"CI": "1"},
)
PYTHON = Part(
    ecosystem=Ecosystem.PYTHON,
    toolchain="python 3.12",
    setup=("pip install -e .",),
    locks=("uv.lock", "a.lock"),
    generated=("src/_version.py", "web/schema.ts"),
)


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ({"variables": {"1X": "a"}}, "is no name of a variable"),
        ({"variables": {"X" * 101: "a"}}, "is no name of a variable"),
        ({"variables": {"Path": "/bin"}}, "`Path` is set by the sandbox itself"),
        ({"secrets": ["ld_preload"]}, "is set by the sandbox itself"),
        ({"variables": {"X": "two\nlines"}}, "it is no value of a variable"),
        ({"variables": {"X": "x" * (VALUE_MOST + 1)}}, "it is no value of a variable"),
        ({"carry": ["../other/.env"]}, "is no file of the project"),
        ({"carry": ["/etc/passwd"]}, "is no file of the project"),
    ],
)
def test_what_may_not_be_written_says_why(written: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        TypeAdapter(WrittenEnvironment).validate_python(written)


def test_what_may_be_written_stays_as_it_is() -> None:
    written = {"variables": {"API_MODE": "x" * VALUE_MOST}, "secrets": ["_TOKEN"], "carry": ["config/local.env"]}
    read = TypeAdapter(WrittenEnvironment).validate_python(written)
    assert (read.variables, read.secrets, read.carry) == (written["variables"], ("_TOKEN",), ("config/local.env",))


def test_what_the_operator_wrote_wins_over_what_was_found() -> None:
    found = lay_over((PYTHON, NODE), WrittenEnvironment())
    assert (found.setup, found.prepare) == (("pip install -e .", "npm ci"), ("npm run build",))
    assert not found.written, "nobody consented to commands that were found"
    nothing = lay_over((PYTHON, NODE), WrittenEnvironment(setup=(), prepare=()))
    assert (nothing.setup, nothing.prepare, nothing.written) == ((), (), True), "an empty list installs nothing"
    own = WrittenEnvironment(prepare=("make",), carry=(".env",), variables={"A": "b"}, secrets=("TOKEN",))
    both = lay_over((NODE,), own)
    assert (both.setup, both.prepare, both.written) == (("npm ci",), ("make",), False)
    assert (both.carry, both.variables, both.secrets, both.parts) == ((".env",), {"A": "b"}, ("TOKEN",), (NODE,))


def test_files_and_variables_of_all_parts_are_brought_together() -> None:
    both = replace(lay_over((PYTHON, NODE), WrittenEnvironment()), proposed=("README.md", "uv.lock"))
    assert both.locks == ("README.md", "a.lock", "uv.lock", "web/package-lock.json")
    assert both.generated_files == ("src/_version.py", "web/schema.ts")
    assert both.made_variables == {"CI": "1"}


def test_consent_is_to_the_commands_and_the_names_of_secrets() -> None:
    plain = Environment(setup=("npm ci",), secrets=("TOKEN",))
    assert plain.consent == replace(plain, prepare=("make",), variables={"A": "b"}).consent
    others = (replace(plain, setup=("npm ci", "curl x")), replace(plain, secrets=()), replace(plain, setup=()))
    assert len({plain.consent, *(each.consent for each in others)}) == 4


def test_a_layer_is_known_by_all_that_decides_what_is_in_it() -> None:
    base, blobs = lay_over((NODE,), WrittenEnvironment()), {"web/package-lock.json": "abc"}
    others = {
        base.key({}),
        base.key({"web/package-lock.json": "abd"}),
        replace(base, setup=("npm i",)).key(blobs),
        replace(base, secrets=("TOKEN",)).key(blobs),
        replace(base, variables={"A": "b"}).key(blobs),
        replace(base, parts=(replace(NODE, toolchain="node 22"),)).key(blobs),
        replace(base, parts=(replace(NODE, variables={"CI": "0"}),)).key(blobs),
    }
    assert base.key(blobs) not in others and len(others) == 7
    assert base.key(blobs) == replace(base, prepare=("make",)).key({**blobs, "src/app.py": "x"})
    told = replace(base, variables={"CI": "0"})
    assert told.key(blobs) == replace(base, parts=(replace(NODE, variables={"CI": "0"}),)).key(blobs), (
        "ours, then theirs"
    )


@pytest.mark.parametrize("host", ["https://a.example", "a.example/x", "a b", "-a.example", "a.example:", "a" * 254])
def test_a_host_is_written_bare(host: str) -> None:
    with pytest.raises(ValidationError, match="is no name of a host"):
        TypeAdapter(Host).validate_python(host)


def test_a_host_is_reached_on_the_ports_of_the_web_or_on_its_own() -> None:
    assert TypeAdapter(Host).validate_python("Packages.Example.org:8081") == "packages.example.org:8081"
    assert places_of(("a.example", "b.example:8081")) == {"a.example:443", "a.example:80", "b.example:8081"}
