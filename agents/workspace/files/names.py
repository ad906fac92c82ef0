"""Names of files made of names that somebody gave: the same one always gives the same, and two never meet."""

import hashlib
import re

LONGEST = 150
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def file_name(name: str) -> str:
    """A plain name stays as it is; another is made plain and gets a mark of what it was."""
    if _PLAIN.fullmatch(name) and len(name) <= LONGEST and not name.endswith("."):
        return name
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:12]
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("._-")[: LONGEST - len(mark) - 1]
    return f"{plain}-{mark}" if plain else mark
