"""`python -m tests.bench.test_times RESULT.xml …`: what each folder of tests took, as the table of docs/test-times.md.

The files are those that `pytest --junitxml=RESULT.xml` writes.
"""

import sys
import xml.etree.ElementTree as xml
from collections import Counter, defaultdict
from pathlib import Path


def table(results: list[Path]) -> str:
    tests, seconds = Counter[str](), defaultdict[str, float](float)
    for case in (case for result in results for case in xml.parse(result).iter("testcase")):
        names = (case.get("classname") or "").split(".")
        folder = f"tests/{names[1]}" + ("/" if len(names) > 2 else ".py")
        tests[folder] += 1
        seconds[folder] += float(case.get("time") or 0)
    whole = sum(seconds.values())
    rows = [
        f"| `{f}` | {tests[f]} | {took:.0f} | {took / whole:.0%} |"
        for f, took in sorted(seconds.items(), key=lambda each: -each[1])
    ]
    total = f"| all | {sum(tests.values())} | {whole:.0f} | 100% |"
    return "\n".join(["| folder | tests | seconds | share |", "|---|---|---|---|", *rows, total])


if __name__ == "__main__":
    print(table([Path(name) for name in sys.argv[1:]]))
