"""Engines: what powers a minion. A role names its engine, and `ENGINES` has them all."""

from collections.abc import Mapping

from agents.domain.workflow.roles import EngineName
from agents.minions.engines.builtin.engine import BUILTIN
from agents.minions.engines.engine import Engine

ENGINES: Mapping[EngineName, Engine] = {engine.name: engine for engine in (BUILTIN,)}
