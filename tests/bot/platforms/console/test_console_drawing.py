"""A graph as a picture: where its boxes stand and how its arrows run."""

from unicodedata import east_asian_width

import pytest

from agents.domain.ids import Account, Thread
from bot.messages import Arrow, Card, Graph, Node
from bot.platforms.console.drawing import HEIGHT, LABEL, LINES, NAME, WIDTH, draw
from tests.fakes.console import console
from tests.fakes.desk import ScriptedDesk


def graph(*arrows: Arrow, label: str = "do it") -> Graph:
    nodes = (
        Node(id="1", label=label, column=0),
        Node(id="2", label=label, column=1),
        Node(id="3", label=label, column=1),
        Node(id="4", label=label, column=5),
    )
    return Graph(nodes=nodes, arrows=arrows, text="2 and 3 after 1, 4 last")


def test_boxes_never_overlap_and_all_are_inside() -> None:
    drawing = draw(graph())
    boxes = {box.id: box for box in drawing.boxes}
    assert boxes["1"].x < boxes["2"].x == boxes["3"].x < boxes["4"].x
    assert boxes["2"].y + HEIGHT < boxes["3"].y
    assert boxes["1"].y == boxes["4"].y == (boxes["2"].y + boxes["3"].y) / 2
    assert all(box.x + WIDTH <= drawing.width and box.y + HEIGHT <= drawing.height for box in drawing.boxes)


def test_an_empty_column_takes_no_room() -> None:
    wide = draw(graph()).width
    assert wide < 4 * WIDTH


def test_an_arrow_to_nowhere_is_left_out() -> None:
    assert draw(graph(Arrow(start="1", end="nobody"))).lines == ()


def test_arrows_run_forward_and_back() -> None:
    there, back = draw(graph(Arrow(start="1", end="2"), Arrow(start="2", end="1", dashed=True))).lines
    assert not there.dashed
    assert back.dashed
    assert there.path != back.path


def test_a_long_label_is_cut_and_kept_whole_beside_it() -> None:
    box = draw(graph(label="words that go on " * 6)).boxes[0]
    assert len(box.lines) == LINES
    assert all(len(line) <= LABEL for line in box.lines)
    assert box.lines[-1].endswith("…")
    assert box.whole == "words that go on " * 6


@pytest.mark.parametrize(
    ("id", "label"),
    [
        ("pre_commit_type_check", "a check"),
        ("averyverylongnameofastepwithoutabreak", "words that go on " * 6),
        ("登录页面的检查步骤和更多的名字", "添加登录页面添加登录页面添加登录页面添加登录页面添加登录页面"),
    ],
)
def test_a_long_name_takes_two_lines_and_nothing_is_wider_than_its_box(id: str, label: str) -> None:
    (box,) = draw(Graph(nodes=(Node(id=id, label=label, column=0),), arrows=(), text="")).boxes
    assert len(box.name) == 2 and len(box.name) + len(box.lines) <= LINES + 1
    assert all(columns(line) <= NAME for line in box.name) and all(columns(line) <= LABEL for line in box.lines)
    assert id.startswith(box.name[0]) and box.id == id


def columns(line: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)


def test_a_graph_of_nothing_is_no_problem() -> None:
    assert draw(Graph(nodes=(), arrows=(), text="")).boxes == ()


async def test_the_picture_is_told_in_words_too() -> None:
    desk = ScriptedDesk()
    said = desk.write(THREAD, "console:general", ANA, "add login")
    desk.post(said.thread, Card(title="Plan", graph=graph(Arrow(start="1", end="2"), label="<b>bold</b>")))
    async with console(desk) as visit:
        page = await visit.get(f"/thread/{THREAD}")
        assert "2 and 3 after 1, 4 last" in page.text
        assert "&lt;b&gt;bold" in page.text
        assert "<b>bold" not in page.text


THREAD, ANA = Thread("console:general:here"), Account("console:ana")


def test_what_stands_below_in_the_same_column_is_reached_straight_down() -> None:
    nodes = (Node(id="1", label="a", column=0), Node(id="2", label="b", column=0))
    drawing = draw(Graph(nodes=nodes, arrows=(Arrow(start="1", end="2"), Arrow(start="2", end="1")), text=""))
    down, up = drawing.lines
    upper, lower = drawing.boxes
    middle = upper.x + upper.width / 2
    assert down.path == f"M{middle:g} {upper.y + upper.height:g}L{middle:g} {lower.y:g}"
    assert "C" in up.path, "and back round the outside"
