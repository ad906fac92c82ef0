"""Words that were replaced by plainer ones stay away from people."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OLD = (
    *("Custodiet:", "NO VERDICT", "All well", "Lay aside", "Laid aside", "Needs me", "Leave it to me", "Hand it to me"),
    *(
        "Take over branch",
        "Take it on",
        "Turn it down",
        "Judge my branch",
        "Let it pass",
        "Pause clock",
        "Skip for now",
    ),
    *("please look at a step", "renamed or gone", "Rules kept", "bare outline", "Under way", "Being planned again"),
    *("Being polished", "fairly sure", "cannot be mended", "To be on it", "did not do"),
    *('"Degraded"', "Read by the", "h of work", "laid aside", "Stand-in"),
)
# People and models may still say them.
HEARD = {ROOT / "agents/domain/decisions/answering.py", ROOT / "agents/domain/text/other_names.py"}
SHOWN = ("bot/**/*.py", "bot/**/*.html", "agents/domain/**/*.py", "manifests/**/*.yaml", "README.md", "docs/*.md")


@pytest.mark.parametrize("words", OLD)
def test_nothing_that_people_read_says_it(words: str) -> None:
    files = sorted(
        file for pattern in SHOWN for file in ROOT.glob(pattern) if "samples" not in file.parts and file not in HEARD
    )
    assert len(files) > 200
    found = [str(file.relative_to(ROOT)) for file in files if words in file.read_text(encoding="utf-8")]
    assert not found, found
