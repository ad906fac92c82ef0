"""Draws what waits for what as a PNG, for chats that want a file; the console draws its own."""

import io
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING

from bot.messages import Graph, Node

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

BOX_W, BOX_H, GAP_X, GAP_Y, MARGIN = 190, 56, 70, 22, 16
LABEL_LINES, LABEL_CHARS = 2, 24
LARGEST = 4000  # pixels on the longer side, before sharpness is given up


@dataclass(frozen=True, slots=True)
class Box:
    node: Node
    x: int
    y: int

    @property
    def lines(self) -> list[str]:
        lines = wrap(f"{self.node.id} {self.node.label}", LABEL_CHARS) or [self.node.id]
        if len(lines) <= LABEL_LINES:
            return lines
        return [*lines[: LABEL_LINES - 1], lines[LABEL_LINES - 1][: LABEL_CHARS - 1] + "…"]


def layout(graph: Graph) -> tuple[dict[str, Box], int, int]:
    """A column for each step, centred; returns the boxes, the width and the height."""
    columns: dict[int, list[Node]] = {}
    for node in graph.nodes:
        columns.setdefault(node.column, []).append(node)
    tallest = max((len(nodes) for nodes in columns.values()), default=0)
    height = 2 * MARGIN + tallest * BOX_H + max(0, tallest - 1) * GAP_Y
    boxes: dict[str, Box] = {}
    for place, column in enumerate(sorted(columns)):
        nodes = columns[column]
        top = (height - len(nodes) * BOX_H - (len(nodes) - 1) * GAP_Y) // 2
        for row, node in enumerate(nodes):
            boxes[node.id] = Box(node, MARGIN + place * (BOX_W + GAP_X), top + row * (BOX_H + GAP_Y))
    width = 2 * MARGIN + len(columns) * BOX_W + max(0, len(columns) - 1) * GAP_X
    return boxes, width, height


def png(graph: Graph, scale: int = 2) -> bytes:
    """Dark ink on white, readable in any chat."""
    from PIL import Image, ImageDraw, ImageFont

    boxes, width, height = layout(graph)
    scale = max(1, min(scale, LARGEST // max(width, height)))
    image = Image.new("RGB", (width * scale, height * scale), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(13 * scale)
    for arrow in graph.arrows:
        if arrow.start in boxes and arrow.end in boxes:
            start, end = boxes[arrow.start], boxes[arrow.end]
            ends = (start.x + BOX_W, start.y + BOX_H // 2, end.x - 3, end.y + BOX_H // 2)
            _arrow(draw, [at * scale for at in ends], arrow.dashed, scale)
    for box in boxes.values():
        corner = (box.x * scale, box.y * scale, (box.x + BOX_W) * scale, (box.y + BOX_H) * scale)
        draw.rounded_rectangle(corner, 9 * scale, fill="#f6f2f6", outline="#8b7a8b", width=scale)
        first = box.y + BOX_H // 2 - 9 * len(box.lines)
        for number, line in enumerate(box.lines):
            draw.text(((box.x + 12) * scale, (first + number * 18) * scale), line, fill="#221822", font=font)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _arrow(draw: "ImageDraw", ends: list[int], dashed: bool, scale: int) -> None:
    """A curve that leaves and arrives level, in short straight lines, with a tip."""
    x1, y1, x2, y2 = ends
    middle, steps, points = (x1 + x2) / 2, 24, []
    for t in (step / steps for step in range(steps + 1)):
        u = 1 - t
        start, leaving, arriving, end = u**3, 3 * u * u * t, 3 * u * t * t, t**3
        x = start * x1 + (leaving + arriving) * middle + end * x2
        points.append((x, (start + leaving) * y1 + (arriving + end) * y2))
    for number, (one, other) in enumerate(pairwise(points)):
        if not dashed or number % 2 == 0:
            draw.line((*one, *other), fill="#6b5a6b", width=2 * scale)
    tip = 7 * scale
    draw.polygon([(x2, y2), (x2 - tip, y2 - tip // 2), (x2 - tip, y2 + tip // 2)], fill="#6b5a6b")
