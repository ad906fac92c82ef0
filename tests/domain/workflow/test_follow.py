"""What comes after a step: whatever steps come to, a subtask ends, and within the visits that its workflow allows."""

from collections import Counter

from hypothesis import given, settings, strategies as st

from agents.catalog.composition import Layer, compose
from agents.catalog.workflows import TEMPLATES, WORKFLOW
from agents.catalog.yaml import Value, read_packaged
from agents.domain.checks.evaluation import Score
from agents.domain.workflow.steps import STEP_TYPES
from agents.domain.workflow.workflow import DEFAULT, Ask, Back, Done, Go, Part, Stuck, Workflow, follow

OURS = TEMPLATES.read(read_packaged("workflows").data)


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """A template with steps of any type added after others, and with some of its own disabled."""
    template = draw(st.sampled_from(("default", "mvp", "open_source")))
    known = ["implement"]
    steps: dict[str, Value] = {}
    for at in range(draw(st.integers(0, 8))):
        step: dict[str, Value] = {"position": f"after {draw(st.sampled_from(known))}", **draw(st.sampled_from(KINDS))}
        if step["type"] not in ("worker", "human") and draw(st.booleans()):
            step |= {"max_retries": draw(st.integers(0, 3))}
        steps[f"step{at}"] = step
        if step["type"] != "human":
            known.append(f"step{at}")
    disable = draw(st.sampled_from(([], ["test"])))
    written: dict[str, Value] = {"steps": steps, "disable": [*disable]}
    over = Layer(where=("workflow",), part=WORKFLOW.read(written))
    workflow, odd = compose(template, OURS, [over])
    assert workflow is not None, odd
    return workflow


KINDS: list[dict[str, Value]] = [
    {"type": "worker", "role": "implementer"},
    {"type": "gate", "command": "make"},
    {"type": "review", "role": "reviewer"},
    {"type": "review", "role": "reviewer", "human_approval": True},
    {"type": "human", "position": "before commit"},
]


@settings(max_examples=200, deadline=None)
@given(workflows(), st.sampled_from((Part.ORDINARY, Part.CLOSING)), st.lists(st.sampled_from(Score), max_size=200))
def test_every_subtask_ends_and_no_step_is_visited_too_often(
    workflow: Workflow, part: Part, scores: list[Score]
) -> None:
    steps = workflow.part(part)
    visits, sent_back, attempts, here, outcomes = Counter[str](), Counter[str](), 1, steps[0], iter(scores)
    workers = [step for step in steps if step.type == "worker"]
    longest = len(steps) * (1 + max(step.max_retries for step in workers))
    for _ in range(longest):
        visits[here.name] += 1
        score = Score.PASS if here.type == "worker" else next(outcomes, Score.PASS)
        move = follow(workflow, part, here.name, score, Done(attempts=attempts, visits=visits))
        if isinstance(move, Ask) or (isinstance(move, Go) and move.step is None):
            break
        assert move.step is not None
        if isinstance(move, Back):
            assert move.step.type == "worker"
            attempts += 1
            sent_back[here.name] += 1
        here = move.step
    else:
        raise AssertionError("it never ends")
    assert attempts <= 1 + max(step.max_retries for step in workers)
    assert all(visits[step.name] <= attempts and sent_back[step.name] <= step.max_retries for step in steps)


@settings(max_examples=100, deadline=None)
@given(workflows())
def test_whatever_is_added_the_safe_steps_are_passed(workflow: Workflow) -> None:
    """Along any way to the merge: after each worker the rules, then a join, then the pull request, then the merge."""
    kinds = [step.type for step in workflow.part(Part.CLOSING)]
    assert kinds.count("join") == kinds.count("pull") == kinds.count("merge") == 1 and kinds[-1] == "merge"
    assert kinds.index("join") < kinds.index("pull")
    for at, kind in enumerate(kinds):
        assert kind != "worker" or kinds[at + 1] == "rules"
    assert {kind.name for kind in STEP_TYPES.values() if kind.fixed} <= {step.type for step in workflow.steps}


def done(attempts: int = 1, **visits: int) -> Done:
    return Done(attempts=attempts, visits=visits)


def test_refused_work_goes_to_the_nearest_worker_until_attempts_are_spent() -> None:
    move = follow(DEFAULT, Part.ORDINARY, "test", Score.NEEDS_REVISION, done(1, test=1))
    assert isinstance(move, Back) and move.step.name == "implement"
    spent = follow(DEFAULT, Part.ORDINARY, "test", Score.NEEDS_REVISION, done(3, test=3))
    assert spent == Ask(why=Stuck.SPENT)
    assert follow(DEFAULT, Part.ORDINARY, "rules", Score.FAIL, done()) == Ask(why=Stuck.HOPELESS)


def test_an_ordinary_subtask_ends_with_its_join_and_the_closing_one_with_the_merge() -> None:
    assert follow(DEFAULT, Part.ORDINARY, "commit", Score.PASS, done()) == Go(step=None)
    assert follow(DEFAULT, Part.CLOSING, "commit", Score.PASS, done()) == Go(step=DEFAULT.step("ci"))
    assert follow(DEFAULT, Part.CLOSING, "merge", Score.PASS, done()) == Go(step=None)
    refused = follow(DEFAULT, Part.CLOSING, "ci", Score.NEEDS_REVISION, done(1, ci=1))
    assert isinstance(refused, Back) and refused.step.name == "implement"


def test_a_step_may_send_work_back_as_often_as_it_says_and_not_once_more() -> None:
    most = DEFAULT.step("test").max_retries
    assert isinstance(follow(DEFAULT, Part.ORDINARY, "test", Score.NEEDS_REVISION, done(1, test=most)), Back)
    spent = follow(DEFAULT, Part.ORDINARY, "test", Score.NEEDS_REVISION, done(1, test=most + 1))
    assert spent == Ask(why=Stuck.SPENT)
