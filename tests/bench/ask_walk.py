"""A task's whole argument as the models are shown it: 300 files, two versions of a plan, a debate of two rounds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import BaseModel

from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Need,
    Risk,
    Subtask,
    with_closing,
)
from agents.domain.planning.review import (
    Advice,
    Argument,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Debate,
    Finding,
    Position,
    Review,
    Round,
    Side,
)
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.ports import Ask
from tests.llm.rig import task

AREAS = (
    "accounts",
    "billing",
    "catalogue",
    "checkout",
    "notifications",
    "reports",
    "search",
    "sessions",
    "shipping",
    "support",
)
PARTS = (
    "api/routes",
    "api/schemas",
    "domain/rules",
    "domain/events",
    "storage/queries",
    "storage/migrations",
    "web/views",
)
LANGUAGES = ("cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "ja", "ko", "nb", "nl", "pl", "pt", "ro", "sv")
REQUEST = (
    "Customers complain that someone tries passwords on their accounts. Add rate limiting to the login: at most five "
    "failed tries in ten minutes for one account and twenty for one address, with a message that says when to try "
    "again. Support needs to see locked accounts and to unlock one. Do not lock anybody out who has the right "
    "password and waits, and keep the old mobile app working, which only understands status 401."
)


def files() -> tuple[str, ...]:
    """300 paths as a service of some years has them."""
    made = [f"src/shop/{area}/{part}_{n}.py" for area in AREAS for part in PARTS for n in (1, 2)]
    made += [f"tests/{area}/test_{part.replace('/', '_')}.py" for area in AREAS for part in PARTS]
    made += [f"web/components/{area}/{name}.tsx" for area in AREAS for name in ("List", "Detail", "Form", "Filters")]
    made += [f"docs/{area}.md" for area in AREAS]
    made += [f"deploy/{area}/service.yaml" for area in AREAS]
    made += [f"locales/{code}/messages.po" for code in LANGUAGES]
    return tuple(sorted((*made, *(f"scripts/job_{n}.py" for n in range(300 - len(made))))))


FILES = files()


def _subtask(number: int, title: str, why: str, test: str, *needs: int) -> Subtask:
    return Subtask(
        number=number,
        title=title,
        why=why,
        kind=WorkKind.FEATURE,
        files=(f"src/shop/sessions/domain/rules_{number % 2 + 1}.py", f"tests/sessions/test_{number}.py"),
        hours=2.5,
        review_minutes=12,
        confidence=Confidence.HIGH,
        test=test,
        needs=tuple(Need(number=n) for n in needs),
        tags=("security", "api"),
    )


def plan(version: int) -> Decomposition:
    made = Decomposition(
        goal="Failed logins are limited for each account and address, and support can unlock an account.",
        summary="Count failures first, then refuse, then show; the mobile app keeps its 401.",
        subtasks=(
            _subtask(1, "Find where failures can be counted", "three places check passwords", "a list with lines"),
            _subtask(2, "Count failed tries", "what is not counted cannot be limited", "pytest -k count", 1),
            _subtask(3, "Refuse after the limit", "this is what was asked for", "pytest -k refuse", 2),
            _subtask(4, "Let support unlock", "people must not wait for an hour", "pytest tests/support", 2),
            _subtask(5, f"Tell when to try again, version {version}", "it was asked for", "pytest -k told", 3),
        ),
        assumptions=(
            Assumption(what="All logins go through sessions."),
            Assumption(what="The clock of the database is good to a second."),
        ),
        risks=(
            Risk(what="An attacker locks people out on purpose", mitigation="count by address, let support unlock"),
        ),
    )
    return with_closing(made)


REVIEW = Review(
    critic=CriticSays(
        verdict=Critic.REVISE,
        issues=(Finding(what="Subtask 3 refuses the right password as well, which the request forbids."),),
        changes=("Let a right password through after the wait, and test it.",),
    ),
    custodiet=CustodietSays(verdict=Custodiet.OK),
    advice=(Advice(specialist="security", concerns=("Subtask 5 tells an attacker which accounts exist.",)),),
)


def _round(number: int) -> Round:
    def says(side: Side) -> Argument:
        point = f"In round {number} the {side} holds that waiting with the right password is what the request asks for."
        return Argument(
            side=side, position=Position.MAINTAIN, point=point, evidence=("who has the right password and waits",)
        )

    return Round(number=number, critic=says(Side.CRITIC), custodiet=says(Side.CUSTODIET))


def _held(rounds: int) -> Debate:
    return Debate(began=REVIEW, rounds=tuple(_round(n + 1) for n in range(rounds)), now=REVIEW)


def walk() -> Iterator[tuple[Ask, type[BaseModel]]]:
    """Every question of one task, in the order in which they are asked."""
    fresh = task(request=REQUEST)
    yield _ask("decompose", fresh), PlanSays
    drafted = replace(fresh, plan=replace(fresh.plan, draft=plan(1), number=1, tries=1))
    yield from _review(drafted)
    argued = replace(drafted, plan=replace(drafted.plan, review=REVIEW))
    for number in (1, 2):
        for side, other in (("critic", "custodiet"), ("custodiet", "critic")):
            about = {
                "side": side,
                "other": other,
                "mine": "revise: see above",
                "theirs": _round(1).critic.point,
                "round": number,
            }
            yield (
                _ask("debate", replace(argued, plan=replace(argued.plan, debate=_held(number - 1))), **about),
                DebateAnswer,
            )
    back = replace(argued, plan=replace(argued.plan, debate=_held(2), feedback=REVIEW.reasons))
    yield _ask("decompose", back), PlanSays
    yield from _review(
        replace(back, plan=replace(back.plan, draft=plan(2), number=2, tries=2, review=None, debate=None))
    )


def _review(drafted: Task) -> Iterator[tuple[Ask, type[BaseModel]]]:
    yield _ask("critic", drafted), CriticAnswer
    yield _ask("custodiet", drafted), CustodietAnswer
    for name, focus in (
        ("security", "Who could abuse this, and what happens to secrets."),
        ("interface", "Who calls this today."),
    ):
        yield _ask("specialist", drafted, specialist=name, focus=focus), SpecialistAnswer


def _ask(question: str, about: Task, **more: object) -> Ask:
    role = "supervisor" if question == "specialist" else "primary"
    return Ask(question=question, role=role, step=question, task=about, about=more)


async def files_of(project: str) -> Sequence[str]:
    return FILES
