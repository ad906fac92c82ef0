"""Whether what a pattern found is a secret: tells it from names, examples and the words that manuals write instead."""

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

Check = Callable[[str], bool]  # of what the pattern found, or of its group "secret"

_WORDS = re.compile(r"example|placeholder|redacted|your[_-]|changeme|dummy|<|\{|\$|\*\*|\.\.\.", re.IGNORECASE)
# What manuals write where a password would be; tiger is Scott's, in those of databases.
_BLANKS = re.compile(
    r"pass(word|wd)?|pwd?|secret|token|user|postgres|test|guest|root|admin|tiger|foo|bar", re.IGNORECASE
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.\w+)+(?:\(.*)?|\(\w*\)?)")
VARIED = 6  # different characters at least: "xxxxxxxx" shows where a secret would be


def is_varied(found: str) -> bool:
    return len(set(found)) >= VARIED and not _WORDS.search(found)


def random_looking(found: str) -> bool:
    """A value that nobody would write by hand: digits among letters, and few of them twice."""
    if not is_varied(found) or not any(c.isdigit() for c in found) or not any(c.isalpha() for c in found):
        return False
    counts = Counter(found).values()
    entropy = -sum(n / len(found) * math.log2(n / len(found)) for n in counts)
    return entropy >= 3.3 and _switches(found) * 5 >= len(found)


def _switches(found: str) -> int:
    """How often it goes from one kind of character to another: names of things seldom do."""
    kinds = [(c.isdigit(), c.isupper()) for c in found]
    return sum(a != b for a, b in pairwise(kinds))


def is_password(found: str) -> bool:
    """A password in an address, unless it is the word for one."""
    return not _BLANKS.fullmatch(found) and not _WORDS.search(found) and len(set(found)) > 1


def is_invented_password(found: str) -> bool:
    """A password that a person thought of: letters and digits, and either both cases or a sign."""
    kinds = [any(map(kind, found)) for kind in (str.isdigit, str.islower, str.isupper)]
    signs = any(c in "!@#%^&*+=~?;:,()/|" for c in found)
    return is_varied(found) and not _BLANKS.fullmatch(found) and kinds[0] and sum(kinds) + signs >= 3


def no_code(found: str) -> bool:
    """Neither a name nor a call, which may follow `password=` as well."""
    return is_mixed_password(found) and not _CODE.fullmatch(found)


def is_mixed_password(found: str) -> bool:
    return is_password(found) and any(map(str.isdigit, found)) and any(map(str.isalpha, found))


def credential(found: str) -> bool:
    """What follows Basic or Bearer."""
    return random_looking(found) or (len(found) >= 12 and found.endswith("=") and is_varied(found))


def discord_token(found: str) -> bool:
    """Its first part is a user's number."""
    head = found.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).isdigit()
    except (binascii.Error, ValueError):
        return False


def always(found: str) -> bool:
    return True
