"""Answers to questions about the code, and the buttons that turn what was taken for something else."""

from dataclasses import replace
from urllib.parse import quote

from agents.domain.asking.facts import Evidence, Inquiry, place_name
from agents.domain.asking.names import Mistake
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.task.reroute import RerouteOption
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import one_line
from bot.cards.decisions import button
from bot.cards.kinds.task.reroute import words_to_start_with
from bot.cards.scene import Bill, Ways
from bot.messages import Button, Card, Choice, Link, Row, Style, Tone

_PLANNING = (TaskState.RECEIVED, TaskState.DECOMPOSING, TaskState.IN_REVIEW, TaskState.AWAITING_APPROVAL)
# Which of the buttons make sense where the task stands.
_OFFERED: dict[TaskState, tuple[RerouteOption, ...]] = {
    **dict.fromkeys(_PLANNING, (RerouteOption.ANSWER, RerouteOption.WITHDRAW)),
    TaskState.ANSWERING: (RerouteOption.CHANGE, RerouteOption.WITHDRAW),
    TaskState.ANSWERED: (RerouteOption.CHANGE,),
    TaskState.WITHDRAWN: (RerouteOption.CHANGE, RerouteOption.ANSWER),
}


RIGHTLY, AS_IT_STANDS = "a", "b"  # the buttons of a command that was almost typed


def near_miss_card(words: str, command: str, id: DecisionId, *, in_task: bool) -> Card:
    otherwise = "No, it is a remark" if in_task else "No, it is a request"
    return Card(
        title=f"Did you mean `{command}`?",
        text=f"You wrote: “{one_line(words, 300)}”. Nothing was done.",
        buttons=(
            Button(label=f"Do it: {command}", choice=Choice(decision=id, letter=RIGHTLY), style=Style.PRIMARY),
            Button(label=otherwise, choice=Choice(decision=id, letter=AS_IT_STANDS)),
        ),
        tone=Tone.ASKING,
    )


def taken_card(command: str) -> Card:
    return Card(title=f"Taken as `{command}`" if command else "Taken as it stands")


def turning_buttons(task: Task) -> tuple[Button, ...]:
    """None once the plan is approved, or where nobody had to tell what it is."""
    turns = task.of_kind(Kind.REROUTE)
    if turns is None or task.plan.accepted:
        return ()
    offered = _OFFERED.get(task.state, ())
    shown = [button(turns, option) for option in turns.options if option.value in offered]
    return tuple(replace(each, fill=words_to_start_with(task)) if each.asks else each for each in shown)


def answer_card(task: Task, asked: Inquiry, bill: Bill, ways: Ways) -> Card:
    """The answer, what it rests on, and what it cost."""
    rows = [
        Row(label="At commit", value=asked.commit[:10]) if asked.commit else None,
        Row(label="Cost", value=f"${bill.spent:.2f} so far" if bill.spent else "nothing that was counted"),
    ]
    latest = bool(task.talk.inquiries) and task.talk.inquiries[-1].number == asked.number
    buttons = turning_buttons(task) if latest and task.state is TaskState.ANSWERED else ()
    return Card(
        title=f"{task.id}: {one_line(asked.text, 100)}",
        text=asked.answer,
        rows=tuple(row for row in rows if row),
        lines=_lines(asked, linked=bool(asked.web or ways.to("/"))),
        links=_links(task, asked, ways),
        buttons=buttons,
        footer="Ask on in this thread." if task.is_question else "",
    )


def in_code(place: Evidence) -> str:
    last = f"-{place.last}" if place.last else ""
    return f"{place.path}:{place.line}{last}"


def _lines(asked: Inquiry, *, linked: bool) -> tuple[str, ...]:
    """Where no link leads to the code, the places themselves are said."""
    lines = [] if linked else [f"`{in_code(place)}`" for place in asked.evidence]
    if not asked.evidence:
        lines.append("No place in the code was named for it: take it with care.")
    if asked.invented:
        many = f"{asked.invented} place{'s' if asked.invented > 1 else ''}"
        lines.append(
            f"Left out: {many} that the answer named and that {'are' if asked.invented > 1 else 'is'} not there."
        )
    return tuple(lines)


def _links(task: Task, asked: Inquiry, ways: Ways) -> tuple[Link, ...]:
    if not asked.web and not ways.to("/"):
        return ()
    return tuple(_link(task, asked, at, place, ways) for at, place in enumerate(asked.evidence, start=1))


def _link(task: Task, asked: Inquiry, at: int, place: Evidence, ways: Ways) -> Link:
    """To the lines as they were when it was answered: on GitHub, or as we kept them."""
    if asked.web:
        last = f"-L{place.last}" if place.last else ""
        return Link(label=in_code(place), url=f"{asked.web}/{quote(place.path)}#L{place.line}{last}")
    return Link(label=in_code(place), url=ways.to(f"/task/{task.id}/kept/{place_name(task.id, asked.number, at)}"))


def withdrawn_words(task: Task) -> str:
    match task.talk.mistake:
        case Mistake.COMMAND:
            return f"Taken as a command: `{task.talk.meant}`. Nothing else was begun."
        case Mistake.TALK:
            return "I took this for no request, so nothing was begun."
        case _:
            return "Withdrawn: it was no request."
