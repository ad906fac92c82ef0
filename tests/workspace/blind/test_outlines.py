"""What code offers, without how it is made."""

from agents.workspace.blind.outlines import outline

PYTHON = b'''
import secret_helper

_HIDDEN = "inside"


class Cart(Base):
    """What somebody buys.

    How it is kept: in a list.
    """

    owner: str
    _rows: list[int] = []

    def add(self, price: float, *, note: str = "a secret default", times: int = 1) -> None:
        """Put one in."""
        self._rows.append(price)

    def _sort(self): ...


async def pay(cart: Cart) -> bool:
    return secret_helper.charge(cart)
'''
TYPESCRIPT = (
    b"export interface Login { token: string }\nconst hidden = 1\nexport async function login(mail: string): Login {\n"
)


def test_python_is_read_by_its_syntax_tree() -> None:
    said = outline({"shop/cart.py": PYTHON})
    assert "- `class Cart(Base)`: What somebody buys." in said and "  - `owner: str`" in said
    assert "`def add(self, price: float, *, note: str=..., times: int=1) -> None`: Put one in." in said
    assert "`async def pay(cart: Cart) -> bool`" in said
    for inside in ("secret", "_HIDDEN", "_sort", "_rows", "in a list"):
        assert inside not in said


def test_what_typescript_exports_is_named() -> None:
    said = outline({"web/login.ts": TYPESCRIPT, "bad.py": b"def ("})
    assert (
        "export interface Login { token: string }" in said
        and "export async function login(mail: string): Login" in said
    )
    assert "hidden" not in said and "it cannot be read as Python" in said


def test_code_that_is_nested_too_deep_to_be_written_out_stops_nothing() -> None:
    deep = f"def f(a: {'x.' * 900}x): ...\n".encode()
    told = outline({"deep.py": deep, "plain.py": PYTHON})
    assert "- it cannot be read as Python" in told and "class Cart" in told
