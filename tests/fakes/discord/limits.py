"""What Discord refuses, and in which words: lengths, counts and shapes of messages, forms and names."""

from collections.abc import Iterator
from typing import Any

from tests.fakes.discord.world import Json

CONTENT, EMBEDS_IN_ALL, EMBEDS = 2000, 6000, 10
ROWS, IN_A_ROW, OPTIONS = 5, 5, 25
CUSTOM_ID, LABEL, NONCE = 100, 80, 25
MODAL_TITLE, INPUT_LABEL, INPUT = 45, 45, 4000
THREAD_NAME = 100
ATTACHMENT_DESCRIPTION = 1024
_EMBED = {"title": 256, "description": 4096}
ROW, BUTTON, SELECT, TEXT_INPUT, LABELLED = 1, 2, 3, 4, 18


def _length(text: str) -> int:
    """In UTF-16 units, as clients count: never fewer than characters."""
    return len(text.encode("utf-16-le")) // 2


class ApiError(Exception):
    """An answer with a status of 400 or more, as Discord words it."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body: Json = {"message": message, "code": code} | ({"errors": errors} if errors else {})


class Faults:
    """Gathers what is wrong with a form, each by the path to its field."""

    def __init__(self) -> None:
        self.errors: Json = {}

    def tell(self, path: str, code: str, words: str) -> None:
        here = self.errors
        for part in path.split("."):
            here = here.setdefault(part, {})
        here.setdefault("_errors", []).append({"code": code, "message": words})

    def at_most(self, path: str, value: object, most: int, least: int = 0) -> None:
        if value is None and not least:
            return
        if not isinstance(value, str) or not least <= _length(value) <= most:
            self.tell(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")

    def refuse(self) -> None:
        if self.errors:
            raise ApiError(400, 50035, "Invalid Form Body", self.errors)


def check_message(data: Json, *, files: int = 0, editing: bool = False) -> None:
    faults = Faults()
    faults.at_most("content", data.get("content"), CONTENT)
    if isinstance(data.get("nonce"), str):
        faults.at_most("nonce", data["nonce"], NONCE)
    _embeds(data.get("embeds") or [], faults)
    check_components(data.get("components") or [], faults)
    _mentions(data.get("allowed_mentions") or {}, faults)
    for at, attached in enumerate(data.get("attachments") or []):
        faults.at_most(f"attachments.{at}.description", attached.get("description"), ATTACHMENT_DESCRIPTION)
    faults.refuse()
    if not editing and not files and not any(data.get(part) for part in ("content", "embeds", "components")):
        raise ApiError(400, 50006, "Cannot send an empty message")


def _link(name: str, embed: Json, faults: Faults) -> None:
    """A link must be one, and is not all there may be."""
    if not str(embed.get("url") or "https://").startswith(("https://", "http://")):
        faults.tell(f"{name}.url", "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https').")
    if not any(embed.get(part) for part in ("title", "description", "fields", "footer", "author", "image")):
        faults.tell(f"{name}.description", "BASE_TYPE_REQUIRED", "This field is required")


def _embeds(embeds: list[Json], faults: Faults) -> None:
    if len(embeds) > EMBEDS:
        faults.tell("embeds", "BASE_TYPE_MAX_LENGTH", f"Must be {EMBEDS} or fewer in length.")
    whole = 0
    for at, embed in enumerate(embeds):
        for name, most in _EMBED.items():
            faults.at_most(f"embeds.{at}.{name}", embed.get(name), most)
        _link(f"embeds.{at}", embed, faults)
        footer = (embed.get("footer") or {}).get("text", "")
        faults.at_most(f"embeds.{at}.footer.text", footer, 2048)
        fields = embed.get("fields") or []
        if len(fields) > 25:
            faults.tell(f"embeds.{at}.fields", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
        for number, field in enumerate(fields):
            faults.at_most(f"embeds.{at}.fields.{number}.name", field.get("name"), 256, least=1)
            faults.at_most(f"embeds.{at}.fields.{number}.value", field.get("value"), 1024, least=1)
        texts = (embed.get("title"), embed.get("description"), footer)
        whole += sum(_length(text or "") for text in texts) + sum(_length(f["name"] + f["value"]) for f in fields)
    if whole > EMBEDS_IN_ALL:
        faults.tell("embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBEDS_IN_ALL}")


def check_components(rows: list[Json], faults: Faults) -> None:
    """Rows of buttons, or one select a row."""
    if len(rows) > ROWS:
        faults.tell("components", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {ROWS} in length.")
    ids: set[str] = set()
    for at, row in enumerate(rows):
        path, inside = f"components.{at}", row.get("components") or []
        if row.get("type") != ROW:
            faults.tell(f"{path}.type", "BASE_TYPE_CHOICES", "Value must be one of (1,).")
        selects = sum(part.get("type") == SELECT for part in inside)
        if not 1 <= len(inside) <= IN_A_ROW or (selects and len(inside) > 1):
            faults.tell(f"{path}.components", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {IN_A_ROW} in length.")
        for number, part in enumerate(inside):
            _component(part, f"{path}.components.{number}", ids, faults)


def _component(part: Json, path: str, ids: set[str], faults: Faults) -> None:
    if part.get("type") == BUTTON and part.get("style") == 5:
        return  # a link
    faults.at_most(f"{path}.custom_id", part.get("custom_id"), CUSTOM_ID, least=1)
    if part.get("custom_id") in ids:
        faults.tell(f"{path}.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
    ids.add(str(part.get("custom_id")))
    if part.get("type") == BUTTON:
        faults.at_most(f"{path}.label", part.get("label"), LABEL, least=1)
    if part.get("type") == SELECT:
        options = part.get("options") or []
        if not 1 <= len(options) <= OPTIONS:
            faults.tell(f"{path}.options", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {OPTIONS} in length.")
        values = [option.get("value") for option in options]
        if len(set(values)) != len(values):
            faults.tell(
                f"{path}.options",
                "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
                "The specified option value is already used",
            )
        for number, option in enumerate(options):
            faults.at_most(f"{path}.options.{number}.label", option.get("label"), 100, least=1)
            faults.at_most(f"{path}.options.{number}.value", option.get("value"), 100, least=1)


def _mentions(allowed: Json, faults: Faults) -> None:
    both = [kind for kind in ("users", "roles") if allowed.get(kind) and kind in (allowed.get("parse") or [])]
    for kind in both:
        words = f"parse:[{kind!r}] and {kind} are mutually exclusive."
        faults.tell("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)


def check_modal(data: Json) -> None:
    faults = Faults()
    faults.at_most("data.title", data.get("title"), MODAL_TITLE, least=1)
    faults.at_most("data.custom_id", data.get("custom_id"), CUSTOM_ID, least=1)
    for at, row in enumerate(data.get("components") or []):
        inside: list[Any] = row.get("components") or ([row["component"]] if "component" in row else [])
        if row.get("type") == LABELLED:
            faults.at_most(f"data.components.{at}.label", row.get("label"), INPUT_LABEL, least=1)
            faults.at_most(f"data.components.{at}.description", row.get("description"), 100)
        for part in inside:
            faults.at_most(f"data.components.{at}.component.placeholder", part.get("placeholder"), 100)
            if (part.get("max_length") or 1) > INPUT:
                faults.tell(f"data.components.{at}.max_length", "NUMBER_TYPE_MAX", f"At most {INPUT}.")
    if not data.get("components"):
        faults.tell("data.components", "BASE_TYPE_REQUIRED", "This field is required")
    faults.refuse()


def check_thread_name(data: Json) -> None:
    faults = Faults()
    faults.at_most("name", data.get("name"), THREAD_NAME, least=1)
    faults.refuse()


def inputs_of(components: list[Json]) -> Iterator[Json]:
    """The text inputs of a form."""
    for row in components:
        yield from row.get("components") or ([row["component"]] if "component" in row else [])
