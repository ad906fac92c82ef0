"""The Overlord's own tools over MCP: what a program may send, and what comes of it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from agents.domain.work.work import Ending
from agents.minions.engines.builtin.executor import SCOPE, LateRoom, ToolExecutor
from agents.minions.engines.builtin.tools import TOOLS
from agents.minions.engines.cli.tools import OFFERED, WAIT, OwnTools
from agents.ports import Asked, Finished, GaveUp, WantsScope
from agents.workspace.files.safe_open import Tree
from tests.minions.field import Field, FieldCheck, laid_out


@pytest.fixture
async def field(tmp_path: Path) -> AsyncIterator[Field]:
    async with laid_out(tmp_path) as made:
        yield made


def own_tools(field: Field) -> OwnTools:
    workspace = field.checkout.workspace
    workspace.environ[SCOPE] = field.scope.dump()  # type: ignore[index]

    executor = ToolExecutor(
        tools=TOOLS,
        files=Tree(field.root),
        workspace=workspace,
        room=LateRoom(lambda: field.sandbox.open(workspace, field.profile)),
        skills=(),
        limits=field.limits,
        hand_in=FieldCheck(field),
    )
    return OwnTools(executor=executor)


async def say(tools: OwnTools, method: str, **params: Any) -> Any:
    answer = await tools.answer(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode())
    assert answer is not None
    said = json.loads(answer)
    assert said["id"] == 7
    return said.get("result", said.get("error"))


async def call(tools: OwnTools, name: str, **given: object) -> tuple[str, bool]:
    result = await say(tools, "tools/call", name=name, arguments=given)
    return result["content"][0]["text"], result["isError"]


async def test_it_introduces_itself_and_lists_what_reaches_people(field: Field) -> None:
    tools = own_tools(field)
    about = await say(tools, "initialize", protocolVersion="2025-03-26", capabilities={})
    assert about["protocolVersion"] == "2025-03-26" and "tools" in about["capabilities"]
    listed = (await say(tools, "tools/list"))["tools"]
    assert [each["name"] for each in listed] == [*OFFERED]
    assert all(each["inputSchema"]["type"] == "object" and each["description"] for each in listed)
    assert await say(tools, "ping") == {}
    assert await tools.answer(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}') is None


async def test_asking_a_person_ends_the_run_and_says_so(field: Field) -> None:
    tools = own_tools(field)
    said, error = await call(tools, "ask_human", question="Which?", options=["A", "B"])
    assert said == WAIT and not error and tools.ended.is_set()
    assert tools.outcome == Asked(question="Which?", options=("A", "B"))
    said, error = await call(tools, "task_complete", summary="Done.")
    assert error and isinstance(tools.outcome, Asked), "what comes after an end is not done"


async def test_scope_is_asked_for_and_giving_up_has_its_reason(field: Field) -> None:
    tools = own_tools(field)
    await call(tools, "request_scope", paths=["pyproject.toml"], why="a dependency")
    assert tools.outcome == WantsScope(paths=("pyproject.toml",), why="a dependency")
    tools = own_tools(field)
    await call(tools, "task_blocked", reason="no database")
    assert tools.outcome == GaveUp(ending=Ending.BLOCKED, problem="no database")


async def test_work_that_is_not_taken_is_mended_in_the_same_run(field: Field) -> None:
    tools = own_tools(field)
    field.refused = ["setup.py is outside the scope."]
    said, _ = await call(tools, "task_complete", summary="Done.")
    assert "outside the scope" in said and tools.outcome is None and not tools.ended.is_set()
    assert tools.take_fixes() == 1 and tools.take_fixes() == 0
    await call(tools, "task_complete", summary="Done.")
    assert tools.outcome == Finished(summary="Done.")


async def test_what_people_said_meanwhile_is_heard_before_work_is_done(field: Field) -> None:
    tools, news = own_tools(field), ["Use tabs."]

    async def take() -> str:
        return news.pop() if news else ""

    tools.news = take
    said, error = await call(tools, "task_complete", summary="Done.")
    assert error and "Use tabs." in said and tools.outcome is None
    await call(tools, "task_complete", summary="Done, with tabs.")
    assert tools.outcome == Finished(summary="Done, with tabs.")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("write_file", {"path": "a", "content": ""}),  # its own tools do that
        ("run_command", {"command": "true"}),
        ("nonsense", {}),
        ("task_complete", {"sumary": "x"}),
        ("ask_human", {"question": ""}),
        ("task_complete", ["x"]),
    ],
)
async def test_other_tools_and_wrong_arguments_are_an_answer(field: Field, name: str, given: Any) -> None:
    tools = own_tools(field)
    result = await say(tools, "tools/call", name=name, arguments=given)
    assert result["isError"] and tools.outcome is None


@given(
    st.binary(max_size=60)
    | st.dictionaries(
        st.sampled_from(["id", "method", "params", "jsonrpc"]),
        st.none() | st.integers() | st.sampled_from(["tools/call", "initialize", "x"]) | st.lists(st.integers()),
    ).map(lambda made: json.dumps(made).encode())
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_nothing_that_is_sent_can_raise(field: Field, body: bytes) -> None:
    answer = await own_tools(field).answer(body)
    assert answer is None or json.loads(answer)["jsonrpc"] == "2.0"
