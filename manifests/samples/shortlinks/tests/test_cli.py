from pathlib import Path

import pytest

from shortlinks.cli import main


def test_add_then_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "links.json")
    main(["--file", file, "add", "https://example.org/x"])
    code = capsys.readouterr().out.strip()
    main(["--file", file, "open", code])
    assert capsys.readouterr().out.strip() == "https://example.org/x"
