"""Seconds of one step of LangGraph with AsyncSqliteSaver; run by peers.py with the Python of .venv-bench.

A round is asked for by a line on stdin and answered by a line on stdout.
"""

import asyncio
import operator
import sys
import time
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # type: ignore[import-not-found]
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]

THREADS, STEPS = 50, 10


class State(TypedDict):
    items: Annotated[list[str], operator.add]


async def remark(state: State) -> dict[str, list[str]]:
    return {"items": ["please keep the old endpoints working as well"]}


def go_on(state: State) -> str:
    return str(END) if len(state["items"]) >= STEPS else "remark"


async def per_step(graph: Any, number: int) -> float:
    before = time.perf_counter()
    configs = ({"configurable": {"thread_id": f"{number}-{thread}"}} for thread in range(THREADS))
    await asyncio.gather(*(graph.ainvoke({"items": []}, config) for config in configs))
    return (time.perf_counter() - before) / (THREADS * STEPS)


async def main(database: str) -> None:
    made = StateGraph(State)
    made.add_node("remark", remark)
    made.add_edge(START, "remark")
    made.add_conditional_edges("remark", go_on)
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        graph = made.compile(checkpointer=saver)
        number = 0
        while await asyncio.to_thread(sys.stdin.readline):
            print(await per_step(graph, number), flush=True)
            number += 1


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
