"""What words in a task's thread answer, and what they never do."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agents.domain import events as e
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.decisions import answering, pressing
from agents.domain.decisions.answering import Utterance, option_named
from agents.domain.decisions.authority import Group, Kind, Presser
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.decisions.kind import Moment, Question
from agents.domain.decisions.kinds.task.stuck import STUCK
from agents.domain.decisions.pressing import Press
from agents.domain.decisions.subject import OfRun, OfWords
from agents.domain.decisions.table import ask, can_be_held, questions
from agents.domain.errors import PressRefused
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.facts import Request
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState, Work, WorkState
from agents.domain.work.working import Wanted, ask_person
from bot.cards.kinds import label_of
from tests.builders.decisions import question
from tests.builders.planned import Planned

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
OWNER = Presser(person=PersonId("ana"))
LEAD = Presser(person=PersonId("lead"), groups=frozenset(Group) - {Group.OWNER})
STRANGER = Presser(person=PersonId("mallory"))
HASHES = with_letters(
    Option(value="bcrypt", label="bcrypt"),
    Option(value="argon2", label="argon2"),
    Option(value="answer", needs_words=True),
)
RUN = OfRun(subtask=1, attempt=1)


def moment(after: float = 0, cause: str = "x") -> Moment:
    return Moment(at=NOW + timedelta(seconds=after), cause=cause)


def _subtask(number: int) -> Subtask:
    return Subtask(number=number, title=f"Part {number}", why="", kind=WorkKind.FEATURE, files=("a.py",))


def task(*asked_first: Question, state: TaskState = TaskState.RUNNING) -> Task:
    """A task at work whose subtasks wait for a person, with these questions open."""
    waits = Work(number=1, state=SubtaskState.NEEDS_HUMAN, attempt=1, scope=Scope(mode=ScopeMode.EXPLICIT))
    made = Task(
        id=TaskId("T-1"),
        changed_at=NOW,
        state=state,
        before_rest=TaskState.RUNNING,
        request=Request(
            text="add login", by=OWNER.person, thread=Thread("console:general:1"), channel="console:general", at=NOW
        ),
        work=WorkState(subtasks=(waits, replace(waits, number=2))),
        plan=PlanState(draft=Decomposition(goal="It works", subtasks=(_subtask(1), _subtask(2)))),
    )
    for number, wanted in enumerate(asked_first):
        (opened,) = ask(made, wanted, moment(cause=f"q{number}"))
        made = evolve(made, opened)
    return made


def hash_question(number: int = 1) -> Question:
    run = OfRun(subtask=number, attempt=1)
    return question("question", HASHES, f"T-1.{number} asks: Which hash?", subject=run)


def stuck(number: int = 1) -> Question:
    return question("escalation", text=f"T-1.{number} needs you", subject=OfRun(subtask=number, attempt=1))


MORE_SCOPE = replace(question("scope", text="More?"), evidence=("settings.py",))
STOPPED = question("stopped")
TAKEN = question("taken", text="yours")
UNMERGED = question("unmerged", text="not merged")
PROJECT = question("project", with_letters(Option(value="api", label="api"), Option(value="web", label="web")))
GATE = question("gate_medium", text="T-1.1 passed", default="pass")
PLAN = question("plan")
PARKED = question("stuck", STUCK.offer("retry", "cancel"))


def say(at: Task, text: str, by: Presser = OWNER, *, talk: bool = False, after: float = 0) -> list[Event]:
    return answering.reply(at, Utterance(text=text, talk=talk, label=label_of), by, moment(after, cause=f"said:{text}"))


def chosen(at: Task, facts: list[Event]) -> tuple[str, str]:
    """The value of the option that was taken, and the words with it."""
    made = next(fact for fact in facts if isinstance(fact, e.DecisionMade))
    decision = at.decision(made.decision)
    assert decision
    return (decision.option(made.option).value if made.option else "", made.words)


@pytest.mark.parametrize(
    ("question", "said", "by", "option", "words"),
    [
        (hash_question(), "argon2", OWNER, "argon2", ""),
        (hash_question(), "Argon2!", LEAD, "argon2", ""),
        (hash_question(), "b", OWNER, "argon2", ""),
        (hash_question(), "scrypt, we have it in the library", OWNER, "", "scrypt, we have it in the library"),
        (hash_question(), "argon2, but with three rounds", OWNER, "", "argon2, but with three rounds"),
        (hash_question(), "go on", OWNER, "", "go on"),
        (stuck(), "retry, but keep the old name", OWNER, "hint", "keep the old name"),
        (stuck(), "Retry with a hint: import it first", OWNER, "hint", "import it first"),
        (stuck(), "retry", OWNER, "hint", "retry"),
        (stuck(), "keep the old name", OWNER, "hint", "keep the old name"),
        (stuck(), "drop the idea of renaming, just fix it", OWNER, "hint", "drop the idea of renaming, just fix it"),
        (stuck(), "drop", OWNER, "drop", ""),
        (stuck(), "Drop subtask.", LEAD, "drop", ""),
        (stuck(), "please drop it", OWNER, "drop", ""),
        (stuck(), "I'll finish it myself", OWNER, "take", ""),
        (stuck(), "I’ll finish it myself", OWNER, "take", ""),
        (stuck(), "expand scope: docs/", OWNER, "expand", "docs/"),
        (TAKEN, "I'm done", OWNER, "hand_in", ""),
        (PARKED, "try again", OWNER, "retry", ""),
        (STOPPED, "go on", OWNER, "resume", ""),
        (STOPPED, "Resume task", LEAD, "resume", ""),
        (STOPPED, "go on, but use tabs", OWNER, "resume", "use tabs"),
        (PROJECT, "web", OWNER, "web", ""),
        (PROJECT, "it is about the web pages", OWNER, "web", ""),
        (MORE_SCOPE, "no, use the switch in form.py", LEAD, "refuse", "use the switch in form.py"),
        (MORE_SCOPE, "use the switch that is there", LEAD, "refuse", "use the switch that is there"),
        (stuck(), "Take over branch", OWNER, "take", ""),
        (PLAN, "snooze", LEAD, "backburner", ""),
        (PLAN, "request changes: without passwords", LEAD, "changes", "without passwords"),
        (GATE, "ask for a fix: rename it back", LEAD, "reject", "rename it back"),
    ],
)  # fmt: skip
def test_words_are_the_answer(question: Question, said: str, by: Presser, option: str, words: str) -> None:
    resting = question.kind.name is Kind.STOPPED
    at = task(question, state=TaskState.PAUSED if resting else TaskState.RUNNING)
    if question.kind.name is Kind.PLAN:
        at = replace(at, state=TaskState.AWAITING_APPROVAL, work=WorkState(subtasks=()))
    try:
        assert chosen(at, say(at, said, by)) == (option, words)
    except StopIteration:
        pytest.fail(f"nothing was decided: {say(at, said, by)}")


def test_what_is_said_beside_a_button_that_takes_no_words_is_heard_too() -> None:
    at = task(STOPPED, state=TaskState.PAUSED)
    assert [f.text for f in say(at, "go on, but use tabs") if isinstance(f, e.RemarkMade)] == ["use tabs"]


@pytest.mark.parametrize(
    ("question", "said", "option"),
    [
        (PLAN, "approve", "approve"),
        (PLAN, "yes, go ahead", "approve"),
        (PLAN, "Approve plan", "approve"),
        (GATE, "Continue", "pass"),
        (GATE, "let it pass", "pass"),
        (GATE, "ok", "pass"),
        (MORE_SCOPE, "yes", "allow"),
        (MORE_SCOPE, "allow these paths", "allow"),
        (UNMERGED, "try again", "again"),
    ],
)
def test_words_never_approve_but_bring_one_button(question: Question, said: str, option: str) -> None:
    at = task(question)
    (offered,) = say(at, said, LEAD)
    assert isinstance(offered, e.ApprovalOffered)
    assert questions(at)[0].option(offered.option).value == option


@pytest.mark.parametrize("said", ["argon2", "anything", "b"])
def test_the_words_of_a_stranger_stay_a_remark(said: str) -> None:
    at = task(hash_question())
    (remark,) = say(at, said, STRANGER)
    assert isinstance(remark, e.RemarkMade) and not remark.entitled
    read = answering.read(at, Utterance(text=said), STRANGER, moment())
    assert read.not_theirs and read.not_theirs.kind is Kind.QUESTION


def test_an_owner_who_may_not_widen_the_scope_makes_a_remark() -> None:
    (remark,) = say(task(MORE_SCOPE), "yes", OWNER)
    assert isinstance(remark, e.RemarkMade)


def test_what_needs_two_people_is_not_offered_beside_what_one_can_answer() -> None:
    critical = question("merge_critical", text="the merge")
    (asked,) = (fact for fact in say(task(GATE, critical), "yes", LEAD) if isinstance(fact, e.DecisionOpened))
    assert [option.label for option in asked.decision.options] == ["T-1.1 passed", ""]
    (only,) = (f for f in say(task(critical, critical), "yes", LEAD) if isinstance(f, e.DecisionOpened))
    assert [option.label for option in only.decision.options] == ["the merge", ""]


def test_with_several_questions_the_words_are_kept_and_one_press_says_which() -> None:
    at = task(hash_question(1), stuck(2))
    (opened,) = say(at, "use the library")
    assert isinstance(opened, e.DecisionOpened)
    at = evolve(at, opened)
    asked = opened.decision
    assert asked.kind is Kind.MEANT and asked.subject == OfWords(words="use the library") and asked not in questions(at)
    assert [o.label for o in asked.options] == ["T-1.1 asks: Which hash?", "T-1.2 needs you", ""]
    with pytest.raises(PressRefused):
        pressing.press(at, Press(decision=asked.id, letter="a"), STRANGER, moment())
    facts = pressing.press(at, Press(decision=asked.id, letter="b"), OWNER, moment())
    ready = next(f for f in facts if isinstance(f, e.SubtaskReady))
    assert ready.subtask == 2 and not ready.feedback
    for fact in facts:
        at = evolve(at, fact)
    assert [(wish.subtask, wish.words) for wish in at.wishes] == [(2, "use the library")]
    assert [d.kind for d in at.open] == [Kind.QUESTION]


def test_more_words_join_those_that_wait() -> None:
    at = task(hash_question(1), stuck(2))
    for said in ("use the library", "and keep the name"):
        for fact in say(at, said):
            at = evolve(at, fact)
    (asked,) = (d for d in at.open if d.kind is Kind.MEANT)
    assert asked.subject == OfWords(words="use the library\nand keep the name")


def test_what_only_asked_about_words_closes_with_the_last_of_its_questions() -> None:
    at = task(hash_question(1), hash_question(2))
    (opened,) = say(at, "use the library")
    at = evolve(at, opened)
    for each in questions(at):
        for fact in pressing.press(at, Press(decision=each.id, letter="a"), OWNER, moment()):
            at = evolve(at, fact)
    assert at.open == ()


def test_a_subtask_that_is_named_takes_the_words() -> None:
    at = task(hash_question(1), hash_question(2))
    made = next(f for f in say(at, "T-1.2: bcrypt") if isinstance(f, e.DecisionMade))
    assert made.decision == questions(at)[1].id and made.option == "a"


def test_a_reply_to_a_card_is_for_that_card() -> None:
    at = task(hash_question(1), hash_question(2))
    words = Utterance(text="scrypt", to=questions(at)[1].id)
    made = answering.reply(at, words, OWNER, moment())[0]
    assert isinstance(made, e.DecisionMade) and made.decision == questions(at)[1].id


def test_paths_in_words_are_one_press_away_from_being_allowed() -> None:
    where = replace(question("start_scope"), evidence=("src/**",))
    fresh = Work(number=1)
    at = replace(task(where), work=WorkState(subtasks=(fresh,)))
    (opened,) = say(at, "docs/ and src/form.py, please", LEAD)
    assert isinstance(opened, e.DecisionOpened) and opened.decision.kind is Kind.MEANT
    at = evolve(at, opened)
    with pytest.raises(PressRefused, match="not_yours"):
        pressing.press(at, Press(decision=opened.decision.id, letter="a"), OWNER, moment())
    facts = pressing.press(at, Press(decision=opened.decision.id, letter="a"), LEAD, moment())
    ready = next(f for f in facts if isinstance(f, e.SubtaskReady))
    assert ready.scope.patterns == ("docs/**", "src/form.py")
    (offered,) = say(replace(task(where), work=WorkState(subtasks=(fresh,))), "whatever it needs", LEAD)
    assert isinstance(offered, e.ApprovalOffered) and offered.option == ""


TIMED = replace(hash_question(), default="argon2")


@pytest.mark.parametrize(
    ("put", "said", "by", "talk", "waits"),
    [
        ((replace(hash_question(1), default="argon2"), stuck(2)), "use the library", OWNER, False, True),
        ((GATE,), "this renames the public API", LEAD, False, True),
        ((GATE,), "this renames the public API", OWNER, False, False),
        ((TIMED,), "thanks", OWNER, True, False),
        ((TIMED,), "hm, hard to say", STRANGER, False, False),
    ],
)
def test_silence_never_overrules_words_that_were_said(
    put: tuple[Question, ...], said: str, by: Presser, talk: bool, waits: bool
) -> None:
    at = task(*put)
    for fact in say(at, said, by, talk=talk):
        at = evolve(at, fact)
    question = questions(at)[0]
    assert (question.held_by is not None) is waits
    later = moment(3600)
    made = pressing.when_due(at, question.id, later)
    assert bool(made) is not waits, "nothing is taken against them"
    if waits and question.kind is Kind.QUESTION:
        assert question.held_because == said
        (reminded,) = pressing.when_due(at, question.id, moment(4 * 3600))
        assert isinstance(reminded, e.DecisionReminded)


@pytest.mark.parametrize("after", [599, 601, 7200])
def test_words_count_while_the_question_is_open_however_late_they_are_read(after: float) -> None:
    """When they were said only another clock could tell; silence has not decided yet."""
    at = task(TIMED)
    assert chosen(at, say(at, "bcrypt", after=after)) == ("bcrypt", "")


def test_words_said_before_a_question_was_shown_do_not_answer_it() -> None:
    at = task(TIMED)
    words = Utterance(text="bcrypt", unseen=frozenset({questions(at)[0].id}))
    assert [type(fact) for fact in answering.reply(at, words, OWNER, moment())] == [e.RemarkMade], "no clock waits"
    other = evolve(at, ask(at, hash_question(2), moment(cause="q9"))[0])
    made = answering.reply(other, words, OWNER, moment())[0]
    assert isinstance(made, e.DecisionMade) and made.decision == questions(other)[1].id


def test_where_nobody_knows_which_came_first_the_speaker_is_asked_and_the_clock_waits() -> None:
    at = task(TIMED)
    words = Utterance(text="bcrypt", unsure=frozenset({questions(at)[0].id}))
    held, asked = answering.reply(at, words, OWNER, moment())
    assert isinstance(held, e.DecisionHeld) and isinstance(asked, e.DecisionOpened)
    assert asked.decision.kind is Kind.MEANT and [o.value for o in asked.decision.options] == ["answer", "remark"]


def test_a_question_without_a_default_is_reminded_of_after_four_hours_and_still_takes_words() -> None:
    at = task(hash_question())
    assert not pressing.when_due(at, questions(at)[0].id, moment(4 * 3600 - 1))
    (reminded,) = pressing.when_due(at, questions(at)[0].id, moment(4 * 3600))
    assert isinstance(reminded, e.DecisionReminded)
    assert not can_be_held(questions(at)[0]), "no clock runs that could be paused"
    assert chosen(at, say(at, "bcrypt", after=5 * 3600)) == ("bcrypt", "")


def test_a_default_in_free_text_holds() -> None:
    at = task()
    at = replace(at, work=replace(at.work, subtasks=(replace(at.work.subtasks[0], state=SubtaskState.RUNNING),)))
    facts = ask_person(at, at.work.subtasks[0], Wanted(question="Which port?", default="8080"), "c", moment())
    opened = next(f.decision for f in facts if isinstance(f, e.DecisionOpened))
    for fact in facts:
        at = evolve(at, fact)
    answered = pressing.when_due(at, opened.id, moment(601))
    assert any(isinstance(f, e.MinionAnswered) and f.answer.endswith("8080") for f in answered)


def test_a_cancel_is_never_a_button_in_words() -> None:
    decision = questions(task(stuck()))[0]
    found = option_named(decision, "cancel task", label_of)
    assert found and found[0].value == "cancel"
    assert not any(isinstance(f, e.TaskCancelled) for f in say(task(stuck()), "Cancel task"))


def test_a_bare_retry_is_the_hint_itself_and_one_with_words_hands_them_on() -> None:
    for words, hint in (("", "retry"), ("use tabs", "use tabs")):
        facts = pressing.take("retry", "hint")(task(stuck()), OWNER, words, moment())
        assert any(isinstance(fact, e.SubtaskReady) for fact in facts)
        assert next(fact for fact in facts if isinstance(fact, e.DecisionMade)).words == hint


@pytest.mark.parametrize(
    ("words", "by", "asks"),
    [
        (Utterance(text="and a logout", mentioned=True), STRANGER, True),
        (Utterance(text="and a logout"), STRANGER, False),
        (Utterance(text="thanks!", mentioned=True, talk=True), STRANGER, False),
        (Utterance(text="and a logout", mentioned=True), OWNER, False),
    ],
)
def test_words_to_us_of_somebody_else_may_be_a_request_of_their_own(words: Utterance, by: Presser, asks: bool) -> None:
    task = Planned().task
    [remark] = [fact for fact in answering.reply(task, words, by, moment()) if isinstance(fact, e.RemarkMade)]
    assert remark.asks is asks
