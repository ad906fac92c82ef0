"""Lays a graph out as a picture: one column a step, boxes in the middle of theirs, arrows between."""

import textwrap
from collections import defaultdict
from dataclasses import dataclass

from bot.messages import Arrow, Graph, Node

WIDTH, HEIGHT = 145, 77  # of a box; four steps fit into a card
ACROSS, DOWN = 27, 14  # between boxes
EDGE = 2
LABEL, LINES = 18, 3  # characters in a line, and lines, that fit into a box


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    id: str
    lines: tuple[str, ...]
    whole: str  # the label before it was cut
    x: float
    y: float
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    path: str
    head: str
    dashed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def draw(graph: Graph) -> Drawing:
    columns: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        columns[node.column].append(node)
    tallest = max((len(nodes) for nodes in columns.values()), default=0)
    height = tallest * (HEIGHT + DOWN) - DOWN
    boxes: dict[str, Box] = {}
    for place, number in enumerate(sorted(columns)):
        nodes = columns[number]
        top = (height - (len(nodes) * (HEIGHT + DOWN) - DOWN)) / 2
        for row, node in enumerate(nodes):
            boxes[node.id] = _box(node, EDGE + place * (WIDTH + ACROSS), EDGE + top + row * (HEIGHT + DOWN))
    known = [arrow for arrow in graph.arrows if arrow.start in boxes and arrow.end in boxes]
    return Drawing(
        width=len(columns) * (WIDTH + ACROSS) - ACROSS + 2 * EDGE,
        height=height + 2 * EDGE,
        boxes=tuple(boxes.values()),
        lines=tuple(_line(boxes[arrow.start], boxes[arrow.end], arrow) for arrow in known),
    )


def _box(node: Node, x: float, y: float) -> Box:
    lines = textwrap.wrap(node.label, LABEL, max_lines=LINES, placeholder="…")
    return Box(id=node.id, lines=tuple(lines), whole=node.label, x=x, y=y)


def _line(start: Box, end: Box, arrow: Arrow) -> Line:
    """From the right side of one box to the left of the next; round the outside where that is no way forward."""
    forward = end.x > start.x
    x1, y1 = start.x + WIDTH, start.y + HEIGHT / 2
    x2, y2 = (end.x if forward else end.x + WIDTH), end.y + HEIGHT / 2
    bend = ACROSS / 2
    out, back = x1 + bend, (x2 - bend if forward else x2 + bend)
    tail = x2 - 6 if forward else x2 + 6
    return Line(
        path=f"M{x1:g} {y1:g}C{out:g} {y1:g} {back:g} {y2:g} {x2:g} {y2:g}",
        head=f"M{tail:g} {y2 - 4:g}L{x2:g} {y2:g}L{tail:g} {y2 + 4:g}",
        dashed=arrow.dashed,
    )
