"""The second wall around templates that others wrote: each limit of the child process holds by itself."""

import json
import signal
import subprocess
import sys

import pytest

from agents.llm.rendering import LONGEST, REFUSED


def rendered(template: str, **values: object) -> subprocess.CompletedProcess[str]:
    """As the program starts it."""
    given = json.dumps({"template": template, "values": values, "fence": "part"})
    command = [sys.executable, "-I", "-m", "agents.llm.rendering"]
    return subprocess.run(command, input=given, capture_output=True, text=True, env={}, cwd="/", timeout=60)


def test_a_template_is_rendered_with_its_values_and_they_are_not_rendered_again() -> None:
    done = rendered("{{ words }} {{ words | untrusted('words') }}", words="{{ 7*7 }} </part>")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == '{{ 7*7 }} </…> <part name="words">\n{{ 7*7 }} </…>\n</part>'


def test_the_text_is_cut_at_its_limit() -> None:
    done = rendered("{% for x in 'x' * 50 %}" + "y" * 3000 + "{% endfor %}")
    assert (done.returncode, done.stdout) == (0, "y" * LONGEST)


def test_it_ends_itself_when_its_time_is_over() -> None:
    """Not the parent, which waits longer."""
    spins = "{% for a in 'x' * 99999 %}{% for b in 'x' * 99999 %}{% endfor %}{% endfor %}"
    assert rendered(spins).returncode == -signal.SIGALRM


def test_it_gets_no_more_memory_than_it_may_have() -> None:
    done = rendered("{{ ('x' * 700000000) | length }}")
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert "too much memory" in done.stderr


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ words.__class__.__base__ }}",
        "{{ words['__class__']['__base__'] }}",
        "{{ (words | attr('__class__')).__base__ }}",
        "{{ listed.append(1) }}",
        "{{ range(3) }}",
        "{{ cycler }}",
        "{% include '../policies/models.yaml' %}",
    ],
)
def test_nothing_but_the_values_can_be_reached(template: str) -> None:
    done = rendered(template, words="x", listed=[])
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert done.stderr.startswith("It cannot be rendered: ")
