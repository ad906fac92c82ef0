"""Proposals: where they may go, which are alike, and who decides."""

import ast
from datetime import UTC, datetime
from itertools import product

import pytest

from agents.domain.decisions.authority import Group, Kind, Silence
from agents.domain.decisions.kind import OUTLIVES
from agents.domain.decisions.kinds.learning.proposal import apply_proposal
from agents.domain.decisions.kinds.learning.skill_draft import apply_skill
from agents.domain.decisions.table import KINDS, RULES
from agents.domain.errors import IllegalMove
from agents.domain.ids import ProposalId
from agents.domain.learning.proposal import (
    PROPOSAL_MOVES,
    Level,
    Proposal,
    ProposalStatus,
    ProposalType,
    Rationale,
    Trigger,
    likeness,
    move,
)
from tests.builders.sources import files_with

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 3, 3, 9, 30, tzinfo=UTC)
S = ProposalStatus
DECIDING = ("proposal", "directives")  # kinds whose press approves one
LEGAL = {(S.PENDING, S.APPROVED), (S.PENDING, S.REJECTED), (S.APPROVED, S.IMPLEMENTED)}


def proposal(status: ProposalStatus = S.PENDING) -> Proposal:
    return Proposal(
        id=ProposalId("p"),
        type=ProposalType.TOOL_FIX,
        title="Remove what blocked “Write the form”",
        rationale=Rationale(trigger=Trigger.BLOCKER, evidence=("There is no compiler",)),
        proposed_action="Install one",
        estimated_impact=Level.HIGH,
        risk=Level.LOW,
        status=status,
        project="shop",
        likeness="x",
        created_at=AT,
    )


def test_every_status_has_its_moves() -> None:
    assert PROPOSAL_MOVES.keys() == set(S)
    assert {(a, b) for a, b in product(S, S) if b in PROPOSAL_MOVES[a]} == LEGAL


@pytest.mark.parametrize(("now", "to"), sorted(product(S, S)))
def test_a_move_is_made_or_explained(now: ProposalStatus, to: ProposalStatus) -> None:
    if (now, to) in LEGAL:
        after = move(proposal(now), to, LATER)
        assert (after.status, after.resolved_at) == (to, LATER)
    else:
        with pytest.raises(IllegalMove, match=f"is {now}, so it cannot become {to}"):
            move(proposal(now), to, LATER)


def test_it_is_resolved_when_it_is_decided_on_not_when_it_is_implemented() -> None:
    approved = move(proposal(), S.APPROVED, AT)
    assert move(approved, S.IMPLEMENTED, LATER).resolved_at == AT


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("There is no compiler (exit 127).", True),
        ("THERE IS NO COMPILER: exit 2", True),
        ("there is no  compiler, exit 0x7f3a", True),
        ("There is no linker", False),
    ],
)
def test_what_differs_in_case_numbers_and_signs_alone_is_alike(words: str, same: bool) -> None:
    first = likeness("shop", Trigger.BLOCKER, "There is no compiler! Exit 1")
    assert (likeness("shop", Trigger.BLOCKER, words) == first) is same
    assert likeness("api", Trigger.BLOCKER, words) != first


def test_always_a_person_and_never_time() -> None:
    """P9: silence approves nothing."""
    rule = RULES[Kind.PROPOSAL]
    assert rule.who == {Group.APPROVER} and rule.silence is Silence.WAITS and not rule.by_words
    assert Kind.PROPOSAL in OUTLIVES
    assert [option.value for option in KINDS[Kind.PROPOSAL].offer() if option.approves] == ["approve"]
    rule = RULES[Kind.SKILL_DRAFT]
    assert rule.who == {Group.APPROVER} and rule.silence is Silence.WAITS and not rule.by_words


def test_only_a_decision_leads_to_an_approval() -> None:
    """P9: the fact is made in one place, and nothing comes there but what a press decided."""
    assert _places("ProposalApproved") == {f"agents/domain/decisions/kinds/learning/{name}.py" for name in DECIDING}
    assert _places("ProposalRejected") == {"agents/domain/decisions/kinds/learning/proposal.py"}
    assert _places("SkillApproved") == {"agents/domain/skills/drafting.py"}
    assert _places("approve") == {"agents/domain/decisions/kinds/learning/skill_draft.py"}
    assert KINDS[Kind.PROPOSAL].apply is apply_proposal and KINDS[Kind.SKILL_DRAFT].apply is apply_skill
    assert _places("apply") == {"agents/domain/decisions/table.py"}


def _places(called: str) -> set[str]:
    """Files in which something of this name is called."""
    found = set[str]()
    for place, tree in files_with(f"{called}("):
        for node in ast.walk(tree):
            name = node.func if isinstance(node, ast.Call) else None
            if getattr(name, "attr", getattr(name, "id", "")) == called:
                found.add(place)
    return found


def test_another_text_is_another_fingerprint() -> None:
    shown = proposal()
    assert shown.hash == move(shown, S.APPROVED, LATER).hash
    other = Proposal(**{**{n: getattr(shown, n) for n in shown.__slots__}, "proposed_action": "Delete the tests"})
    assert other.hash != shown.hash
