"""The picture of a plan, for chats that want a file."""

import io

from PIL import Image

from bot.delivery.pictures import BOX_W, LARGEST, layout, png
from bot.messages import Arrow, Graph, Node


def graph(*columns: int, arrows: tuple[Arrow, ...] = ()) -> Graph:
    nodes = tuple(Node(id=str(n), label=f"Step {n} of the plan", column=c) for n, c in enumerate(columns, 1))
    return Graph(nodes=nodes, arrows=arrows, text="Order: …")


def opened(body: bytes) -> Image.Image:
    return Image.open(io.BytesIO(body))


def test_each_step_has_its_column_and_those_side_by_side_stand_below_each_other() -> None:
    boxes, width, height = layout(graph(0, 1, 1, 2))
    assert boxes["1"].x < boxes["2"].x == boxes["3"].x < boxes["4"].x
    assert boxes["2"].y < boxes["1"].y == boxes["4"].y < boxes["3"].y, "a lone box stands in the middle"
    assert boxes["4"].x + BOX_W < width and height > boxes["3"].y


def test_it_is_a_png_with_arrows_and_the_same_each_time() -> None:
    arrows = (Arrow(start="1", end="2"), Arrow(start="1", end="3", dashed=True), Arrow(start="9", end="1"))
    drawn = png(graph(0, 1, 1, arrows=arrows))
    image = opened(drawn)
    assert image.format == "PNG" and drawn == png(graph(0, 1, 1, arrows=arrows))
    assert drawn != png(graph(0, 1, 1)), "arrows are drawn; one to nowhere does no harm"


def test_a_plan_of_sixty_steps_is_still_a_picture_of_a_sane_size() -> None:
    for columns in ([0] * 60, list(range(60)), [n % 7 for n in range(60)]):
        image = opened(png(graph(*columns)))
        assert max(image.size) <= 4 * LARGEST and min(image.size) > 50


def test_labels_of_any_script_and_length_are_drawn() -> None:
    for label in ("", "x" * 500, "登录页面 🎉 مرحبا", "<b>&amp;", "a\nb"):
        node = Node(id="1", label=label, column=0)
        assert opened(png(Graph(nodes=(node,), arrows=(), text=""))).size[0] > BOX_W


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert opened(png(Graph(nodes=(), arrows=(), text=""))).size
