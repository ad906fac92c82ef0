"""Whether words are a plain yes."""

import re

_ASSENT = re.compile(
    r"(?:y|yes|yep|yeah|ok|okay|sure|fine|allowed?|go ahead|do it|please do|of course|approved?|lgtm|ship it|merge it"
    r"|looks good|sounds good|that(?:'s| is) (?:ok|okay|fine)|👍|✅|\+1)"
    r"(?:[\s,.!]+(?:please|to me|then|thanks|by me|go ahead|do it|allow it|approved?))*",
    re.IGNORECASE,
)


def assents(text: str) -> bool:
    """Whether it is a plain yes, however it is put."""
    return bool(_ASSENT.fullmatch(text.strip().rstrip(".!")))
