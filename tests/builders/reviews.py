"""Helpers that the tests of verdicts share with others."""

from agents.domain.planning.review import (
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Finding,
    Review,
)


def review(critic: Critic, custodiet: Custodiet, asks: bool = False) -> Review:
    return Review(
        critic=CriticSays(verdict=critic, issues=(Finding(what="too big"),)),
        custodiet=CustodietSays(verdict=custodiet, issue="adds a reset link", asks_for_change=asks),
    )
