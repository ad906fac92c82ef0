"""A morning in a small team, told to the scripted desk: what the pictures show."""

from datetime import timedelta

from agents.domain.authority import Kind
from agents.domain.ids import Account, DecisionId, Thread, derived
from agents.domain.task import Task, TaskState
from bot.messages import Arrow, Button, Card, Choice, Graph, Node, Row, Style, Tone
from tests.fakes.desk import ScriptedDesk

ANA, BEN = Account("console:ana"), Account("console:ben")
GENERAL = "console:general"


def morning() -> ScriptedDesk:
    desk = ScriptedDesk({"ana": "Ana", "ben": "Ben", "mira": "Mira"})
    export = _done(desk)
    _ended(desk)
    limits = _asked(desk)
    login = _planned(desk)
    _chatter(desk, export.thread)
    desk.tick(2)
    assert limits.id and login.id
    return desk


def thread(name: str) -> Thread:
    return Thread(f"{GENERAL}:{derived('sample', name)}")


def button(decision: DecisionId, letter: str, label: str, style: Style = Style.PLAIN, **more: str) -> Button:
    return Button(label=label, choice=Choice(decision=decision, letter=letter), style=style, **more)


def _done(desk: ScriptedDesk) -> Task:
    here = thread("export")
    desk.write(here, GENERAL, BEN, "orders can be exported as CSV from the admin page")
    desk.alter(here, desk.threads[here].messages[0].id, seen=True)
    task = desk.open_task(here, "orders can be exported as CSV from the admin page", "ben", state=TaskState.DONE)
    desk.post(
        here,
        Card(
            title="T-1 is done: orders export as CSV",
            text="Merged to main as two pull requests. Everything was judged on the committed tree.",
            rows=(
                Row(label="Tests", value="412 passed · pytest -q · 38 s"),
                Row(label="Review", value="Critic PROCEED · Custodiet OK"),
                Row(label="Cost", value="$1.84 of $5.00"),
            ),
            tone=Tone.GOOD,
            footer="Subtasks T-1.1 and T-1.2 · 47 minutes from request to merge",
        ),
    )
    return task


def _ended(desk: ScriptedDesk) -> None:
    for name, request, owner, state, project in (
        ("flaky", "find out why the checkout test fails every tenth run", "mira", TaskState.RUNNING, "shop"),
        ("docs", "describe the refund rules in the handbook", "ben", TaskState.BACKBURNER, "handbook"),
        ("python", "move the importer to Python 3.13", "mira", TaskState.BLOCKED, "importer"),
    ):
        here = thread(name)
        desk.write(here, "console:platform", Account(f"console:{owner}"), request)
        desk.open_task(here, request, owner, state=state, project=project)
        desk.tick(25)


def _asked(desk: ScriptedDesk) -> Task:
    here = thread("limits")
    desk.write(here, GENERAL, ANA, "add rate limiting to the public API, 100 requests a minute per key")
    desk.alter(here, desk.threads[here].messages[0].id, seen=True)
    task = desk.open_task(here, "add rate limiting to the public API, 100 requests a minute per key")
    desk.open_tasks[task.id] = task = _state(task, TaskState.RUNNING)
    status = Card(
        title=f"{task.id} · rate limiting for the public API",
        text="Two of three subtasks are done. One question is open.",
        lines=(
            f"✓ {task.id}.1  Limiter with a sliding window · done in 11 min",
            f"✓ {task.id}.2  Limits per key in settings · done in 6 min",
            f"◔ {task.id}.3  Wire it into the API · waits for an answer",
        ),
        rows=(Row(label="Cost", value="$0.92 of $5.00"), Row(label="Sandbox", value="bubblewrap")),
        buttons=(_controls(task, "a", "Stop work"),),
        more=(_controls(task, "b", "Put on the back burner"), _controls(task, "c", "Cancel task", Style.DANGER)),
        fingerprint="status",
    )
    desk.status[task.id] = status
    desk.post(here, status)
    _facts(desk, task)
    decision = DecisionId(derived("decision", task.id, "question"))
    desk.tick(6)
    desk.ask(
        task,
        Card(
            title="What should a caller get when the limit is reached?",
            text=f"{task.id}.3 needs to know before it changes the public answers. "
            "Clients already retry on 429; a 503 would page the team on call.",
            buttons=(
                button(decision, "a", "Answer 429", Style.PRIMARY),
                button(decision, "b", "Answer 503"),
                button(decision, "c", "Answer in words", asks="What should a caller get?"),
            ),
            more=(button(decision, "d", "Pause clock"),),
            until=desk.clock + timedelta(minutes=11, seconds=12),
            until_what="Takes “429” by itself at",
            tone=Tone.ASKING,
            decision=decision,
            fingerprint="question",
        ),
        Kind.QUESTION,
    )
    return task


def _state(task: Task, state: TaskState) -> Task:
    return Task(
        id=task.id, request=task.request, owner=task.owner, thread=task.thread, channel=task.channel,
        requested_at=task.requested_at, changed_at=task.changed_at, project=task.project, state=state,
    )  # fmt: skip


def _controls(task: Task, letter: str, label: str, style: Style = Style.PLAIN) -> Button:
    sure = "Cancel this task? Its branch is kept." if style is Style.DANGER else ""
    return button(DecisionId(derived("decision", task.id, "controls")), letter, label, style, confirm=sure)


def _facts(desk: ScriptedDesk, task: Task) -> None:
    desk.record(task.id, "ProjectChosen", "Project shop, the default of #general")
    desk.record(task.id, "DecompositionDrafted", "Planned three subtasks, 420 lines in all")
    desk.record(task.id, "DecompositionApproved", "Critic PROCEED · Custodiet WARN: says nothing of bursts")
    desk.record(task.id, "PlanAccepted", "Plan approved", "Ana")
    desk.record(task.id, "SubtaskAccepted", f"{task.id}.1 passed: tests, lint, review, scope")
    desk.record(task.id, "SubtaskAccepted", f"{task.id}.2 passed: tests, lint, review, scope")
    desk.record(task.id, "QuestionAsked", f"{task.id}.3 asks what a caller should get when the limit is reached")


def _planned(desk: ScriptedDesk) -> Task:
    here = thread("login")
    desk.write(here, GENERAL, ANA, "let people sign in with a passkey; keep passwords for now")
    desk.alter(here, desk.threads[here].messages[0].id, seen=True)
    task = desk.open_task(here, "let people sign in with a passkey; keep passwords for now")
    decision = DecisionId(derived("decision", task.id, "plan"))
    desk.ask(
        task,
        Card(
            title="Plan: passkeys beside passwords, in three steps",
            text="Add passkeys to the account page and to sign-in. Passwords stay as they are.",
            rows=(
                Row(label=f"{task.id}.1", value="Store passkeys with the account · 120 lines · sure"),
                Row(
                    label=f"{task.id}.2", value="Register and remove them on the account page · 180 lines · fairly sure"
                ),
                Row(label=f"{task.id}.3", value="Sign in with one, after 1 · 140 lines · fairly sure"),
                Row(label="Assumes", value="Every browser we support has WebAuthn"),
                Row(label="Reviewers", value="Critic PROCEED · Custodiet WARN: no way back for a lost device"),
                Row(label="Budget", value="$3.10 expected, $8.00 at most"),
            ),
            buttons=(
                button(decision, "a", "Approve plan", Style.PRIMARY),
                button(decision, "b", "Request changes", asks="What should change?"),
            ),
            more=(
                button(decision, "c", "Narrow scope", asks="What should be left out?"),
                button(decision, "d", "Put on the back burner"),
                button(
                    decision, "e", "Cancel task", Style.DANGER, confirm="Cancel this task? Nothing was changed yet."
                ),
            ),
            graph=_order(task),
            footer="An approver decides. You may: you asked for it, and this channel allows that.",
            tone=Tone.ASKING,
            decision=decision,
            fingerprint="plan",
        ),
    )
    return task


def _order(task: Task) -> Graph:
    return Graph(
        nodes=(
            Node(id=f"{task.id}.1", label="Store passkeys", column=0),
            Node(id=f"{task.id}.2", label="Register and remove them on the account page", column=1),
            Node(id=f"{task.id}.3", label="Sign in with one", column=1),
        ),
        arrows=(Arrow(start=f"{task.id}.1", end=f"{task.id}.2"), Arrow(start=f"{task.id}.1", end=f"{task.id}.3")),
        text=f"{task.id}.2 and {task.id}.3 after {task.id}.1",
    )


def _chatter(desk: ScriptedDesk, here: Thread) -> None:
    desk.write(here, GENERAL, BEN, "nice, the dates are in the right zone this time")
