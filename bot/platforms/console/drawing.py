"""Pictures of graphs: where each box stands, what is written in it, and how the arrows run."""

from collections import defaultdict
from dataclasses import dataclass
from unicodedata import east_asian_width

from bot.messages import Arrow, Graph, Node

WIDTH, HEIGHT = 145, 77  # of a box in a picture; four steps fit into a card
ACROSS, DOWN = 27, 14  # between boxes
EDGE = 2
LABEL, LINES = 18, 3  # characters in a line, and lines, that fit into a box below its name
NAME, NAME_LINES = 15, 2  # of its name, which is bolder; a second line takes one from the label


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    id: str
    name: tuple[str, ...]  # the id in lines
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
    name = [line.replace("_ ", "_") for line in wrap_label(node.id.replace("_", "_ "), NAME, NAME_LINES)]
    lines = wrap_label(node.label, LABEL, LINES + 1 - len(name))
    return Box(id=node.id, name=tuple(name), lines=tuple(lines), whole=node.label, x=x, y=y)


def wrap_label(text: str, width: int, most: int) -> list[str]:
    """At most so many lines, the last with an ellipsis where something is left out. A wide letter takes two columns."""
    lines = [""]
    for word in text.split():
        if lines[-1] and _columns(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines += [""] if lines[-1] else []
        for letter in word:
            lines += [""] if _columns(lines[-1] + letter) > width else []
            lines[-1] += letter
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while _columns(f"{last}…") > width:
        last = last[:-1]
    return [*lines[: most - 1], f"{last}…"]


def _columns(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _line_down(start: Box, end: Box, arrow: Arrow) -> Line:
    x, top, bottom = start.x + WIDTH / 2, start.y + HEIGHT, end.y
    return Line(
        path=f"M{x:g} {top:g}L{x:g} {bottom:g}",
        head=f"M{x - 4:g} {bottom - 6:g}L{x:g} {bottom:g}L{x + 4:g} {bottom - 6:g}",
        dashed=arrow.dashed,
    )


def _line(start: Box, end: Box, arrow: Arrow) -> Line:
    """From the right side of one box to the left of the next; down to the one below; round the outside where neither
    is a way forward."""
    if end.x == start.x and end.y > start.y:
        return _line_down(start, end, arrow)
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
