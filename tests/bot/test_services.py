"""Which workflow a plan is approved under: its project's, its channel's, or the general one."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agents.catalog.library import Declared
from agents.catalog.workflows import ChosenWorkflow
from agents.domain.decisions.authority import ChannelPolicy
from agents.domain.limits import Limits
from bot.permissions import Permissions
from bot.services import Services, SystemClock, catalog_of
from store.database import Database
from tests.domain.work.test_dispatching import at_work

HERE, THERE = "console:general", "console:other"


@pytest.mark.parametrize(
    ("projects", "channels", "expected"),
    [
        ({}, {}, "default"),
        ({}, {HERE: "mvp"}, "mvp"),
        ({"shop": "open_source"}, {HERE: "mvp"}, "open_source"),
        ({"other": "open_source"}, {THERE: "mvp"}, "default"),
        ({"shop": "default"}, {HERE: "mvp"}, "default"),
    ],
)
def test_a_project_chooses_before_its_channel(
    tmp_path: Path, projects: Mapping[str, str], channels: Mapping[str, str], expected: str
) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        policies = {name: ChannelPolicy(workflow=workflow) for name, workflow in channels.items()}
        services = Services(
            database=database,
            permissions=Permissions({}, frozenset(), policies),
            clock=SystemClock(),
            limits=Limits(),
            project_workflows=dict(projects),
        )
        assert services.workflow(at_work()).name == expected
        general = catalog_of(Declared(workflow=ChosenWorkflow(template="mvp")))
        otherwise = replace(services, catalog=general).moment(HERE, "test").workflow(at_work()).name
        assert otherwise == (expected if projects.get("shop") or HERE in channels else "mvp")
