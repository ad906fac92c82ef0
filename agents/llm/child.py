"""Renders one template of a project's own: a process by itself, with little memory, one second and no secrets."""

import json
import resource
import signal
import sys

from agents.llm.rendering import BadTemplate, Fence, text_of

SECONDS = 1.0
MEMORY = 512 << 20  # bytes
LONGEST = 100_000  # characters a project's template may make
REFUSED = 3


def main() -> int:
    """The task comes as JSON on stdin, the text goes to stdout; what is wrong goes to stderr."""
    task = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)  # nobody listens: it ends the process, even inside a loop in C
    try:
        text = text_of(task["template"], task["values"], Fence(task["fence"]))
    except BadTemplate as error:
        sys.stderr.write(error.what)
        return REFUSED
    except (MemoryError, RecursionError):
        sys.stderr.write("It cannot be rendered: it wants too much memory")
        return REFUSED
    sys.stdout.write(text[:LONGEST])
    return 0


if __name__ == "__main__":
    sys.exit(main())
