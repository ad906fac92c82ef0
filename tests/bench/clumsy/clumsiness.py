"""How a clumsy model errs: in the form of what it says, never in what it means. All of it is drawn from a seed."""

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.fakes.model_server import Answer, Fails, Says, too_many

Json = dict[str, Any]
Call = tuple[str, Json]

ODD_FORM = 0.35  # of answers: at least one of the kinds below
TORN = 0.05  # of answers: two objects, empty or cut off
GUESSES = 0.30  # of minions' turns: one to three wrong paths or bad arguments
UNKNOWN_TOOL = 0.05
FORMATTER = 0.05
FAILS = 0.03  # of calls: 429, 503 or a hang
DONE_TOO_EARLY = 0.05  # of turns that say "done": an edit in it fails
LONG = "This is said at more length than anybody asked for. " * 40
PREFACES = (
    "Sure! Here is the JSON you asked for:\n\n",
    "I have looked at everything carefully.\n",
    "Based on the above, my answer is as follows.\n\n",
)
# What a model writes for a word of ours, where the meaning is plain.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "COMPLETE": ("complete", "Completed", "done"),
    "docs": ("documentation", "Docs", "doc"),
    "feature": ("Feature", "new feature", "feat"),
    "high": ("High", "HIGH"),
    "proceed": ("Proceed", "approve", "approved", "PROCEED"),
    "halt": ("HALT", "stop", "Halt"),
    "ok": ("OK", "Ok", "okay"),
    "block": ("BLOCK", "blocked", "Block"),
    "approved": ("approve", "Approved", "APPROVED"),
    "rejected": ("reject", "Rejected", "REJECTED"),
    "change": ("Change", "change request", "change_request"),
}
# The opposite of a verdict: what a draft or a second object says, which nobody may take for the answer.
OPPOSITES = {
    "proceed": "halt", "halt": "proceed", "ok": "block", "block": "ok", "approved": "rejected", "rejected": "approved",
    "COMPLETE": "BLOCKED", "change": "none",
}  # fmt: skip
TOLD_APART = ("verdict", "status", "route")  # the fields that hold a verdict
OPTIONAL = frozenset({"hours", "review_minutes", "confidence"})  # of a subtask
OVER_LONG = frozenset({"why", "goal", "test", "suggestion"})
WRONG_PATHS = ("src/main.py", "lib/links.py", "docs/index.md", "shortlinks/models.py", "app.py", "tests/conftest.py")
NO_TOOLS = ("open_file", "bash", "finish", "apply_patch", "think")


@dataclass(kw_only=True)
class Clumsy:
    """One walk's model. `did` counts what it got wrong, by kind; a `rate` of 0 makes it a careful one."""

    seed: str
    hang: float  # seconds that a call hangs, longer than anybody waits
    rate: float = 1.0
    did: Counter[str] = field(default_factory=Counter)
    _asked: Counter[str] = field(default_factory=Counter)
    _failed: Counter[str] = field(default_factory=Counter)

    def chance(self, question: str) -> Random:
        """For the next answer to this question: whoever is asked beside it changes nothing of it."""
        self._asked[question] += 1
        return Random(f"{self.seed}:{question}:{self._asked[question]}")

    def fails(self, draw: Random) -> Answer | None:
        if draw.random() >= FAILS * self.rate:
            return None
        kind = draw.choice(("429", "503", "hang"))
        self.did[kind] += 1
        if kind == "hang":
            return Says(text="{}", wait=self.hang)
        return too_many("1") if kind == "429" else Fails(status=503, message="The server is overloaded.")

    def answer(self, question: str, truth: Json, tag: str) -> Answer:
        draw = self.chance(question)
        if failing := self.fails(draw):
            return failing
        whole = {**truth, "answer_to": tag}
        if draw.random() < TORN * self.rate:
            return self._torn(draw, whole)
        if draw.random() < ODD_FORM * self.rate:
            return Says(text=self._odd(draw, whole))
        return Says(text=json.dumps(whole))

    def _torn(self, draw: Random, whole: Json) -> Says:
        kind = draw.choice(("two objects", "empty", "cut off"))
        self.did[kind] += 1
        text = json.dumps(whole)
        if kind == "two objects":
            doubt = draw.choice(("On second thought:", "Or rather:", "No, wait.", "Hm, better:")) + "." * draw.randint(
                0, 9
            )
            return Says(text=f"{json.dumps(_opposite(whole))}\n\n{doubt}\n\n{text}")  # nobody errs twice in one wording
        return Says(text="") if kind == "empty" else Says(text=text[: len(text) // 2], finish="length")

    def _odd(self, draw: Random, whole: Json) -> str:
        """One kind or two; of those that change nothing here another is taken."""
        made, kinds = whole, list[str]()
        wanted = draw.sample([*_IN_IT, *_AROUND_IT], k=draw.choice((1, 1, 2)))
        for kind in wanted:
            changed = _IN_IT[kind](draw, made) if kind in _IN_IT else made
            if kind in _AROUND_IT or changed != made:
                kinds, made = [*kinds, kind], changed
        kinds = kinds or [draw.choice([*_AROUND_IT])]
        text = json.dumps(made, indent=draw.choice((None, 2)))
        for kind in [*_AROUND_IT]:  # a fence is nearest to it
            text = _AROUND_IT[kind](draw, text, made) if kind in kinds else text
        self.did.update(kinds)
        return text

    def turn(self, run: str, right: tuple[Call, ...]) -> Answer:
        """A minion's turn. After two turns in a row in which all failed it looks more closely."""
        draw = self.chance(run)
        if failing := self.fails(draw):
            return failing
        wrong = self._wrong_calls(draw) if self._failed[run] < 2 else []
        alone = bool(wrong) and draw.random() < 0.5
        done = any(name == "task_complete" for name, _ in right)
        if not alone and done and draw.random() < DONE_TOO_EARLY * self.rate:
            self.did["done with a failing edit"] += 1
            wrong.append(("edit_file", {"path": "README.md", "old": "no such text anywhere", "new": "x"}))
        calls: list[Call] = [*wrong] if alone else [*wrong, *right]
        if not alone and draw.random() < FORMATTER * self.rate:
            self.did["formatter over the tree"] += 1
            calls.insert(0, ("run_command", {"command": "for f in $(git ls-files); do echo >> $f; done"}))
        self._failed[run] = self._failed[run] + 1 if alone else 0
        text = draw.choice(PREFACES) if draw.random() < ODD_FORM * self.rate else None
        return Says(text=text, calls=tuple((name, json.dumps(given)) for name, given in calls), finish="tool_calls")

    def _wrong_calls(self, draw: Random) -> list[Call]:
        made: list[Call] = []
        if draw.random() < GUESSES * self.rate:
            self.did["wrong guesses"] += 1
            made += [_guess(draw) for _ in range(draw.choice((1, 2, 3)))]
        if draw.random() < UNKNOWN_TOOL * self.rate:
            self.did["unknown tool"] += 1
            made.append((draw.choice(NO_TOOLS), {"input": "x"}))
        return made


def _guess(draw: Random) -> Call:
    path = draw.choice(WRONG_PATHS)
    return draw.choice(
        (
            ("read_file", {"path": path}),
            ("read_file", {"path": path, "limit": "all"}),
            ("read_file", {}),
            ("read_file", {"path": 7}),
            ("list_directory", {"path": "src/app"}),
            ("edit_file", {"path": path, "old": "a", "new": "b"}),
            ("search_files", {"pattern": ["def", "class"]}),
            ("write_file", {"path": path}),
        )
    )


def _opposite(whole: Json) -> Json:
    flipped = {key: OPPOSITES.get(str(value), value) for key, value in whole.items() if key in TOLD_APART}
    return {**whole, **flipped, **({"subtasks": []} if "subtasks" in whole else {})}


def _each(value: Any, change: Any, key: str = "") -> Any:
    """The same with each text changed by `change(key, text)`."""
    if isinstance(value, dict):
        return {name: _each(inner, change, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_each(inner, change, key) for inner in value]
    return change(key, value)


def _extra_key(draw: Random, whole: Json) -> Json:
    return {**whole, draw.choice(("reasoning", "notes", "confidence_score")): "It follows from the request."}


def _missing_key(draw: Random, whole: Json) -> Json:
    steps = [{name: step[name] for name in step if name not in OPTIONAL} for step in whole.get("subtasks", ())]
    return {**whole, "subtasks": steps} if steps else {name: whole[name] for name in whole if name != "suggestions"}


def _synonym(draw: Random, whole: Json) -> Json:
    def change(key: str, value: Any) -> Any:
        return draw.choice(SYNONYMS[value]) if isinstance(value, str) and value in SYNONYMS else value

    made: Json = _each(whole, change)
    return made


def _over_long(draw: Random, whole: Json) -> Json:
    def change(key: str, value: Any) -> Any:
        return f"{value}. {LONG}" if key in OVER_LONG and isinstance(value, str) else value

    made: Json = _each(whole, change)
    return made


def _numbers(draw: Random, whole: Json) -> Json:
    """`[1, 2]` for a list of objects, and bare texts for objects that have one."""

    def change(value: Any) -> Any:
        if isinstance(value, list):
            return [_bare(change(inner)) for inner in value]
        return {name: change(inner) for name, inner in value.items()} if isinstance(value, dict) else value

    made: Json = change(whole)
    return made


def _bare(value: Any) -> Any:
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


def _think(draw: Random, text: str, whole: Json) -> str:
    """Now and then with a draft in it that says the opposite."""
    draft = json.dumps(_opposite(whole)) if draw.random() < 0.4 else "Let me see what is asked for."
    return f"<think>\n{draft}\nNo, not quite.\n</think>\n\n{text}"


_IN_IT = {
    "extra key": _extra_key,
    "missing optional key": _missing_key,
    "synonym": _synonym,
    "over-long text": _over_long,
    "numbers for objects": _numbers,
}
_AROUND_IT = {
    "fence": lambda draw, text, whole: f"```{draw.choice(('json', 'JSON', ''))}\n{text}\n```",
    "preface": lambda draw, text, whole: draw.choice(PREFACES) + text,
    "think": _think,
}
