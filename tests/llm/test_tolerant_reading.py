"""Answers as real models write them: what is taken, what comes of it, and what is no answer whatever it says."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel

from agents.domain.asking.meaning import RouteAnswer
from agents.domain.checks.evaluation import Opinion
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.text.synonyms import SYNONYMS
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer
from agents.flows.steps.reviews import ReviewAnswer
from agents.llm.answers import NONCE, BadAnswer, read_answer
from bot.cli.manifest import ANSWERS

TAG = "4f1d2c3b4a596877"
T = f'"{NONCE}": "{TAG}"'
TAGGED = {NONCE: TAG}
PLAIN = f'{{{T}, "verdict": "revise", "changes": ["add a test"]}}'
OTHER = f'{{{T}, "verdict": "proceed"}}'
STEP = {"title": "Show a form", "why": "people log in"}


def read(text: str, shape: type[BaseModel] = CriticAnswer) -> dict[str, Any]:
    return read_answer(text, shape, TAG).model_dump(mode="json", exclude_unset=True)


# What stands around the object, or how it is written down.
AROUND: dict[str, str] = {
    "alone": PLAIN,
    "spaces": f"\n\n   {PLAIN}  \n",
    "a fence": f"```json\n{PLAIN}\n```",
    "a fence without a language": f"```\n{PLAIN}\n```",
    "a fence that does not end": f"```json\n{PLAIN}",
    "a fence in the middle": f"Here is my verdict:\n\n```json\n{PLAIN}\n```\n\nLet me know!",
    "a preface": f"Sure! Here is the JSON you asked for: {PLAIN}",
    "text after": f"{PLAIN}\n\nI hope this helps.",
    "a heading": f"## Verdict\n{PLAIN}",
    "tags of its own": f"<answer>{PLAIN}</answer>",
    "the tag in quotes and capitals": PLAIN.replace(TAG, f"`{TAG.upper()}`"),
    "a byte order mark": f"\ufeff{PLAIN}",
    "thoughts": f"<think>The plan looks fine to me… or does it?</think>\n{PLAIN}",
    "thoughts with a draft in them": f"<think>Maybe {OTHER}? No.</think>{PLAIN}",
    "thoughts without a beginning": f"Maybe {OTHER}? No.\n</think>\n{PLAIN}",
    "thoughts with a broken draft": f'I could say {{"verdict": oops\n</think>\n{PLAIN}',
    "thoughts under another name": f"<thinking>hm</thinking>{PLAIN}<reasoning>{OTHER}</reasoning>",
    "twice the same": f"{PLAIN}\n{PLAIN}",
    "twice the same in another order": f'{PLAIN}\n{{"changes": ["add a test"], "verdict": "revise", {T}}}',
    "braces in the text": f"I looked at {{name}} and at {{}} of f-strings… {PLAIN}".replace("{}", "{ }"),
    "a list of one": f"[{PLAIN}]",
    "as Python writes it": repr(json.loads(PLAIN)),
    "as Python writes it, beside another": f"I looked at {{'a': 1}}. {json.loads(PLAIN)!r}",
    "an object around it": f'{{"answer": {PLAIN}}}',
    "a call written as text": f'{{"name": "answer", "arguments": {PLAIN}}}',
    "fences in a fence": f"````markdown\n```json\n{PLAIN}\n```\n````",
    "a list of the same twice": f"[{PLAIN}, {PLAIN}]",
    "thoughts with a pipe": f"<|thinking|>Maybe {OTHER}<|/thinking|>{PLAIN}",
    "thoughts in square brackets": f"[THINK]Maybe {OTHER}[/THINK]{PLAIN}",
    "thoughts between triangles": f"◁think▷Maybe {OTHER}◁/think▷{PLAIN}",
    "thoughts of a note pad": f"<scratchpad>{OTHER}</scratchpad>\n<analysis>{OTHER}</analysis>{PLAIN}",
    "thoughts since a time": f'<think seconds="3">Maybe {OTHER}</think>{PLAIN}',
    "channels": f"<|channel|>analysis<|message|>Maybe {OTHER}<|end|><|channel|>final<|message|>{PLAIN}",
    "an end of a channel alone": f"Maybe {OTHER}<|channel|>final<|message|>{PLAIN}<|return|>",
    "the schema before it": f"{json.dumps(CriticAnswer.model_json_schema())}\n\n{PLAIN}",
    "an object of somebody else's code": f"It calls setup({{verbose: true}}) and setup({{'a': 1}}). {PLAIN}",
    "a call with a text": json.dumps({"name": "answer", "arguments": PLAIN}),
    "a call within calls": json.dumps({"tool_calls": [{"function": {"name": "answer", "arguments": PLAIN}}]}),
    "two objects around it": f'{{"response": {{"answer": {PLAIN}}}}}',
    "the tag outside": f'{{{T}, "review": {{"verdict": "revise", "changes": ["add a test"]}}}}',
    "the rest inside": f'{{{T}, "verdict": "revise", "result": {{"changes": ["add a test"]}}}}',
    "the tag under a name of another style": PLAIN.replace(NONCE, "answerTo"),
    "words of Python": PLAIN.replace('"verdict"', '"a": None, "b": True, "verdict"'),
    "names without quotes": f'{{{NONCE}: "{TAG}", verdict: "revise", changes: ["add a test"]}}',
    "comments": f'{{{T}, // the tag\n"verdict": "revise", # why\n/* so */ "changes": ["add a test"]}}',
    "curly quotes": f'{{“{NONCE}”: “{TAG}”, “verdict”: “revise”, “changes”: [“add a "good" test”]}}',
    "wide signs": PLAIN.replace(":", "：").replace(",", "，"),
    "a space that does not break": PLAIN.replace(", ", ",\u00a0"),
    "a path of Windows": PLAIN.replace("add a test", r"add C:\Users\d"),
    "a pattern": PLAIN.replace("add a test", r"match \d+\s"),
    "an apostrophe that is escaped": PLAIN.replace("add a test", r"don\'t"),
    "a comma too many": PLAIN.replace('"]}', '",],}'),
    "a line end inside a text": PLAIN.replace("add a test", "add a\ntest"),
    "a mark of thoughts inside a text": PLAIN.replace("add a test", "drop </think> there"),
    "a key twice with one value": PLAIN.replace('"verdict"', '"verdict": "revise", "verdict"'),
    "the tag in capitals around spaces": PLAIN.replace(TAG, f" {TAG} "),
}


@pytest.mark.parametrize("text", AROUND.values(), ids=AROUND)
def test_one_object_is_taken_whatever_stands_around_it(text: str) -> None:
    made = read(text)
    assert made["verdict"] == "revise" and len(made["changes"]) == 1


# How one field is written: the shape, what is said, and what must come of it.
SAID: dict[str, tuple[type[BaseModel], dict[str, Any], dict[str, Any]]] = {
    "capitals": (CriticAnswer, {"verdict": "REVISE"}, {"verdict": "revise"}),
    "a capital": (ReviewAnswer, {"status": "Approved"}, {"status": "approved"}),
    "spaces": (ReviewAnswer, {"status": " changes requested "}, {"status": "changes_requested"}),
    "a hyphen": (ReviewAnswer, {"status": "Changes-Requested"}, {"status": "changes_requested"}),
    "marks": (CriticAnswer, {"verdict": "**proceed**"}, {"verdict": "proceed"}),
    "a full stop": (CriticAnswer, {"verdict": "Halt."}, {"verdict": "halt"}),
    "approve": (ReviewAnswer, {"status": "approve"}, {"status": "approved"}),
    "pass": (ReviewAnswer, {"status": "pass"}, {"status": "approved"}),
    "OK": (ReviewAnswer, {"status": "OK"}, {"status": "approved"}),
    "approved for the critic": (CriticAnswer, {"verdict": "Approved"}, {"verdict": "proceed"}),
    "approve for the guard": (CustodietAnswer, {"verdict": "approve"}, {"verdict": "ok"}),
    "warning": (CustodietAnswer, {"verdict": "warning"}, {"verdict": "warn"}),
    "blocked": (CustodietAnswer, {"verdict": "Blocked"}, {"verdict": "block"}),
    "reject": (CriticAnswer, {"verdict": "reject"}, {"verdict": "halt"}),
    "request changes": (ReviewAnswer, {"status": "request_changes"}, {"status": "changes_requested"}),
    "needs revision": (CriticAnswer, {"verdict": "needs-revision"}, {"verdict": "revise"}),
    "cannot assess": (CriticAnswer, {"verdict": "CANNOT_ASSESS"}, {"verdict": "no_verdict"}),
    "keep": (DebateAnswer, {"position": "maintain", "point": "p"}, {"position": "keep"}),
    "concede": (DebateAnswer, {"position": "Gives way", "point": "p"}, {"position": "concede"}),
    "an extra key": (CriticAnswer, {"verdict": "halt", "reasoning": "long", "score": 7}, {"verdict": "halt"}),
    "null": (CriticAnswer, {"verdict": "halt", "issues": None, "changes": None}, {"verdict": "halt"}),
    "a key in capitals": (CriticAnswer, {"Verdict": "halt"}, {"verdict": "halt"}),
    "a key of another style": (CustodietAnswer, {"verdict": "warn", "asksForChange": True}, {"asks_for_change": True}),
    "a key with spaces": (CustodietAnswer, {"verdict": "warn", "asks for change": True}, {"asks_for_change": True}),
    "true in quotes": (CustodietAnswer, {"verdict": "warn", "asks_for_change": "True"}, {"asks_for_change": True}),
    "one text for a list": (CriticAnswer, {"verdict": "revise", "changes": "add a test"}, {"changes": ["add a test"]}),
    "none for a list": (CriticAnswer, {"verdict": "proceed", "changes": "None"}, {"changes": []}),
    "a null in a list": (CriticAnswer, {"verdict": "revise", "changes": ["a", None]}, {"changes": ["a"]}),
    "objects for texts": (
        CriticAnswer,
        {"verdict": "revise", "changes": [{"change": "add a test", "subtask": 1}]},
        {"changes": ["add a test"]},
    ),
    "a list for a text": (CustodietAnswer, {"verdict": "warn", "issue": ["one", "two"]}, {"issue": "one; two"}),
    "a number for a text": (ReviewAnswer, {"status": "rejected", "issues": [7]}, {"issues": ["7"]}),
    "a list inside a text": (CriticAnswer, {"verdict": "revise", "changes": '["a", "b"]'}, {"changes": ["a", "b"]}),
    "the name of the enum before it": (CriticAnswer, {"verdict": "Critic.REVISE"}, {"verdict": "revise"}),
    "none found": (ReviewAnswer, {"status": "ok", "security_concerns": ["None found."]}, {"security_concerns": []}),
    "marks alone": (CriticAnswer, {"verdict": "revise", "changes": ["**", "-"]}, {"changes": ["**"]}),
    "nothing in a text": (ReviewAnswer, {"status": "approved", "issues": "No issues."}, {"issues": []}),
    "a place beside a text": (
        ReviewAnswer,
        {"status": "rejected", "issues": [{"file": "a.py", "line": 3, "comment": "it is wrong", "severity": "high"}]},
        {"issues": ["a.py:3: it is wrong"]},
    ),
    "per cent": (RouteAnswer, {"route": "change", "confidence": "85 %"}, {"confidence": 0.85}),
    "twice under two names": (ReviewAnswer, {"status": "approved", "verdict": "LGTM"}, {"status": "approved"}),
    "no verdict yet": (CriticAnswer, {"verdict": "unclear"}, {"verdict": "no_verdict"}),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "said", "wanted"), SAID.values(), ids=SAID)
def test_what_is_plainly_meant_is_understood(
    shape: type[BaseModel], said: dict[str, Any], wanted: dict[str, Any]
) -> None:
    made = read(json.dumps({**TAGGED, **said}), shape)
    assert {name: made[name] for name in wanted} == wanted


def plan(**said: Any) -> PlanSays:
    steps = [{**STEP, **said}, STEP, STEP]
    return read_answer(json.dumps({NONCE: TAG, "status": "complete", "goal": "g", "subtasks": steps}), PlanSays, TAG)


# Fields of a subtask: what is said, and what must come of it.
FIELDS: dict[str, tuple[dict[str, Any], str, object]] = {
    "its own number": ({"number": 1}, "title", "Show a form"),
    "numbers for needs": ({"needs": [2, 3]}, "needs", [(2, "blocks"), (3, "blocks")]),
    "texts for needs": ({"needs": ["2", "#3"]}, "needs", [(2, "blocks"), (3, "blocks")]),
    "one need": ({"needs": 2}, "needs", [(2, "blocks")]),
    "an object for needs": ({"needs": {"number": 2, "edge": "after"}}, "needs", [(2, "blocks")]),
    "needs in one text": ({"needs": "2, 3"}, "needs", [(2, "blocks"), (3, "blocks")]),
    "needs with their kind of thing": ({"needs": ["Subtask 2", "step 3"]}, "needs", [(2, "blocks"), (3, "blocks")]),
    "needs in words": ({"needs": ["two"]}, "needs", [(2, "blocks")]),
    "none of them": ({"needs": ["none"]}, "needs", []),
    "a number in words": ({"phase": "two"}, "phase", 2),
    "a number with its name": ({"phase": "Phase 2"}, "phase", 2),
    "hours with their unit": ({"hours": "about 1.5 hours"}, "hours", 1.5),
    "files in one text": ({"files": "src/a.py, src/b.py\ndocs/c.md"}, "files", ("src/a.py", "src/b.py", "docs/c.md")),
    "files as objects": ({"files": [{"path": "a.py", "action": "modify"}]}, "files", ("a.py",)),
    "a file that is called none": ({"files": ["none"]}, "files", ("none",)),
    "a whole number with a point": ({"phase": 2.0}, "phase", 2),
    "a whole number as a text": ({"phase": "2"}, "phase", 2),
    "a number in an object": ({"phase": {"number": 2}}, "phase", 2),
    "hours as a text": ({"hours": "1.5"}, "hours", 1.5),
    "hours that are whole": ({"hours": 2}, "hours", 2.0),
    "one file": ({"files": "src/a.py"}, "files", ("src/a.py",)),
    "null for a kind": ({"kind": None}, "kind", None),
    "a kind nobody knows": ({"kind": "chore"}, "kind", None),
    "a size nobody knows": ({"size": "gigantic"}, "size", None),
    "a mark that code alone sets": ({"closing": True, "opening": True}, "title", "Show a form"),
    "a title that is too long": ({"title": "t" * 121}, "title", "t" * 97 + "… (24 more characters)"),
    "informed by objects": ({"informs": [{"number": 2}]}, "informs", (2,)),
    "tags in one text": ({"tags": "ui"}, "tags", ("ui",)),
}


@pytest.mark.parametrize(("said", "field", "wanted"), FIELDS.values(), ids=FIELDS)
def test_a_subtask_is_read_however_it_is_written(said: dict[str, Any], field: str, wanted: object) -> None:
    found = getattr(plan(**said).subtasks[0], field)
    if field == "needs":
        found = [(need.number, need.edge.value) for need in found]
    assert found == wanted


def test_there_are_as_many_forms_as_were_promised() -> None:
    assert len(AROUND) + len(SAID) + len(FIELDS) + len(NONE) >= 60


# What is no answer, and what whoever wrote it is told.
NONE: dict[str, tuple[str, str]] = {
    "nothing": ("", "it is empty"),
    "words": ("I approve this plan.", "it has no JSON object, and begins with “I approve this plan.”"),
    "a verdict in words": ("verdict: proceed", "it has no JSON object"),
    "two different objects": (f"{PLAIN}\n{OTHER}", "it has 2 different JSON objects"),
    "one without the tag beside it": (f'{{"verdict": "halt"}}\n{OTHER}', "it has 2 different JSON objects"),
    "cut off": (PLAIN[:-4], "it was cut off"),
    "cut off after a whole part": (f'{{{T}, "issues": [{{"what": "x"}}, ', "it was cut off"),
    "only thoughts": (f"<think>{OTHER}", "in the middle of its thoughts"),
    "an object in thoughts": (f"<think>{OTHER}</think> I agree.", "it has no JSON object"),
    "no tag": ('{"verdict": "proceed"}', "does not repeat the tag"),
    "the tag of another question": (OTHER.replace(TAG, "aa"), "does not repeat the tag"),
    "broken beside whole": (f'{{"verdict": halt}}\n{OTHER}', "its JSON is broken"),
    "a key twice": (OTHER.replace('"verdict"', '"verdict": "halt", "verdict"'), "stands twice"),
    "a key twice under two names": (OTHER.replace('"verdict"', '"Verdict": "halt", "verdict"'), "stands twice"),
    "no verdict at all": (f'{{{T}, "changes": []}}', "verdict: Field required"),
    "a verdict that is a list": (OTHER.replace('"proceed"', '["proceed"]'), "verdict"),
    "doubt": (OTHER.replace("proceed", "approve?"), 'not "approve?"'),
    "a refusal that sounds like consent": (OTHER.replace("proceed", "not approved"), "verdict"),
    "consent with a condition": (OTHER.replace("proceed", "approved with changes"), "verdict"),
    "yes": (OTHER.replace("proceed", "yes"), "verdict"),
    "not a number": (f'{{{T}, "verdict": "proceed", "n": NaN}}', "its JSON is broken"),
    "the schema alone": (json.dumps(CriticAnswer.model_json_schema()), "it repeats the schema"),
    "the schema with the tag": (
        json.dumps({"properties": {NONCE: {"const": TAG}, "verdict": {"const": "proceed"}}}),
        "it repeats the schema",
    ),
    "an apostrophe in a text, as Python would not write it": (
        f"{{'{NONCE}': '{TAG}', 'verdict': 'proceed', 'changes': ['don't']}}",
        "it has no JSON object",
    ),
    "without the tag, as JavaScript writes it": ('{verdict: "proceed"}', "it has no JSON object"),
    "two that differ, as JavaScript writes one": (f'{{{NONCE}: "{TAG}", verdict: "halt"}} {OTHER}', "2 different"),
    "a key twice, as JavaScript writes it": (
        f'{{{NONCE}: "{TAG}", verdict: "halt", verdict: "proceed"}}',
        "it has no JSON object",
    ),
    "a text of JSON": (json.dumps(OTHER), "it has no JSON object"),
    "a word without quotes": (f"{{{NONCE}: '{TAG}', verdict: proceed}}", "it has no JSON object"),
    "a quotation mark inside a text": (PLAIN.replace("add a test", 'add "a" test'), "its JSON is broken"),
    "cut off in a call": (json.dumps({"arguments": OTHER[:-6]}), "does not repeat the tag"),
    "a draft beside the tag": (f'{{{T}, "draft": {{"verdict": "proceed"}}}}', "verdict: Field required"),
    "a draft and an answer": (
        f'{{{T}, "answer": {{"verdict": "proceed"}}, "result": {{"verdict": "halt"}}}}',
        "verdict: Field required",
    ),
    "two answers wrapped": (f'{{"first": {PLAIN}, "second": {OTHER}}}', "does not repeat the tag"),
    "another word for it": (f'{{{T}, "status": "proceed"}}', "verdict: Field required"),
    "two words that differ": (OTHER.replace("}", ', "status": "halt"}'), "another field says another"),
    "a final word that differs": (OTHER.replace("}", ', "final_verdict": "Rejected"}'), "another field says another"),
    "a word beneath that differs": (
        OTHER.replace("}", ', "review": {"verdict": "halt"}}'),
        "another field says another",
    ),
    "a word deeper that differs": (
        OTHER.replace("}", ', "parts": [{"of": {"final_verdict": "rejected"}}]}'),
        "another field says another",
    ),
    "a word around it that differs": (
        f'{{"final_verdict": "rejected", "draft": {OTHER}}}',
        "another field says another",
    ),
    "only thoughts of a channel": (f"<|channel|>analysis<|message|>{OTHER}", "in the middle of its thoughts"),
    "a stop sign beside it": (OTHER.replace("proceed", "❌ proceed"), "verdict"),
    "too deep": (f'{{{T}, "verdict": "proceed", "a": {"[" * 90_000}', "its JSON is"),
}


@pytest.mark.parametrize(("text", "told"), NONE.values(), ids=NONE)
def test_what_is_no_answer_says_why_in_a_line(text: str, told: str) -> None:
    with pytest.raises(BadAnswer) as raised:
        read(text)
    message = raised.value.failure.message
    assert told in message and "\n" not in message and len(message) <= 300


def test_a_word_beneath_that_agrees_or_is_no_verdict_changes_nothing() -> None:
    for beside in ('"review": {"verdict": "approve"}', '"checks": [{"name": "a", "status": "ran"}]'):
        assert read(OTHER.replace("}", f", {beside}}}"))["verdict"] == Critic.PROCEED
    assert read(PLAIN.replace("}", ', "before": {"verdict": "proceed"}}'))["verdict"] == Critic.REVISE


def test_a_path_is_never_cut_nor_made_of_a_number() -> None:
    for path in ("a" * 251, 7, ["a", 7]):
        with pytest.raises(BadAnswer, match="files"):
            plan(files=[path])


def test_every_synonym_stands_for_a_word_that_there_is() -> None:
    known = {name: part["enum"] for shape in ANSWERS.values() for name, part in _parts(shape).items() if "enum" in part}
    known["Edge"] = ["blocks", "informs"]  # shown to models in other words
    for name, words in SYNONYMS.items():
        assert name in known, f"no answer has a {name}"
        assert set(words.values()) <= set(known[name]), name


def _parts(shape: type[BaseModel]) -> Mapping[str, Any]:
    parts: dict[str, Any] = shape.model_json_schema().get("$defs", {})
    return parts


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FIELD = st.sampled_from(["verdict", "status", "issues", "changes", "subtasks", "needs", "position", "files", NONCE])
MARKS = (
    "<think>",
    "</think>",
    "[THINK]",
    "</analysis>",
    "<|channel|>analysis",
    "<|channel|>final",
    "```json\n",
    "//",
    "#",
)
LOOSELY = f'{{{NONCE}: "{TAG}", verdict: "proceed"}}'
PIECE = st.text(max_size=30) | st.sampled_from(
    ['{"', '"}', "{“", "{a:", "{", "}", '"', *MARKS, PLAIN, OTHER, LOOSELY, json.dumps(OTHER)]
)


@given(shape=st.sampled_from(list(ANSWERS.values())), pieces=st.lists(PIECE, max_size=6))
def test_whatever_is_written_is_an_answer_or_our_own_error(shape: type[BaseModel], pieces: list[str]) -> None:
    try:
        assert isinstance(read_answer("".join(pieces), shape, TAG), shape)
    except BadAnswer as bad:
        assert "\n" not in bad.failure.message


@given(
    shape=st.sampled_from(list(ANSWERS.values())),
    said=st.dictionaries(FIELD | st.text(max_size=8), JSON, max_size=6),
)
def test_whatever_the_fields_are_it_is_an_answer_or_our_own_error(shape: type[BaseModel], said: dict[str, Any]) -> None:
    try:
        assert isinstance(read_answer(json.dumps({**said, **TAGGED}), shape, TAG), shape)
    except BadAnswer as bad:
        assert "\n" not in bad.failure.message


NOT_GO: list[tuple[type[BaseModel], str, str, set[str]]] = [
    (shape, field, word, {meant, "no_verdict"})
    for shape, field, name, kind, gos in (
        (CriticAnswer, "verdict", "Critic", Critic, {"proceed"}),
        (CustodietAnswer, "verdict", "Custodiet", Custodiet, {"ok"}),
        (ReviewAnswer, "status", "Opinion", Opinion, {"approved"}),
    )
    for word, meant in [*SYNONYMS[name].items(), *((each.value, each.value) for each in kind)]
    if meant not in gos
]
CASE = st.sampled_from([str.upper, str.lower, str.title, str.capitalize])
EDGE = st.sampled_from(["", " ", "**", ".", "`", "\n", '"'])


@given(
    of=st.sampled_from(NOT_GO),
    case=CASE,
    edge=EDGE,
    before=PIECE,
    after=PIECE,
    more=st.dictionaries(FIELD | st.text(max_size=8), JSON, max_size=3),
)
def test_a_stop_or_a_change_is_never_read_as_go(
    of: tuple[type[BaseModel], str, str, set[str]],
    case: Any,
    edge: str,
    before: str,
    after: str,
    more: dict[str, Any],
) -> None:
    """Whatever stands around the word, the answer or beside it."""
    shape, field, word, meant = of
    said = {**{name: each for name, each in more.items() if name != field}, field: f"{edge}{case(word)}{edge}"}
    try:
        made = read_answer(f"{before}{json.dumps({**said, **TAGGED})}{after}", shape, TAG)
    except BadAnswer:
        return
    assert getattr(made, field).value in meant
