"""What others may call, without what is inside."""

from agents.domain.context.public_api import MOST, public_api

PYTHON = '''"""Codes."""
import secrets

_SEED = "the secret seed"

def make(length: int = 6, *,
         letters: str = "abc") -> str:
    """Makes one."""
    return _draw(length) + inner

def _draw(length: int) -> str:
    return "hidden"

class Store(Base):
    """Keeps them."""

    def __init__(self, path: str) -> None:
        self._path = path

    def add(self, code: str) -> None:
        def helper(): ...
        write(code)

    def _write(self) -> None: ...

class _Hidden:
    def visible(self) -> None: ...

async def later(x): pass
'''
SCRIPT = """import { x } from "./x";
export interface User {
  name: string;
  tags: { id: number }[];
}
export type Id = string | number;
const hidden = 1;
export const login = async (user: User): Promise<Token> => {
  return secret(user);
};
export function logout(token: Token): void { revoke(token); }
export default class Session {
  private key = "hidden";
}
function inner() {}
"""


def test_of_python_signatures_and_nothing_from_inside() -> None:
    assert public_api("shop/codes.py", PYTHON).splitlines() == [
        "def make(length: int = 6, *,",
        '         letters: str = "abc") -> str:',
        "class Store(Base):",
        "    def __init__(self, path: str) -> None:",
        "    def add(self, code: str) -> None:",
        "async def later(x):",
    ]


def test_of_scripts_what_is_exported() -> None:
    said = public_api("src/session.ts", SCRIPT)
    assert "interface User" in said and "tags: { id: number }[];" in said and "type Id" in said
    assert "export const login" in said and "export function logout(token: Token)" in said and "class Session" in said
    assert "hidden" not in said and "secret" not in said and "revoke" not in said and "inner" not in said


def test_of_other_languages_what_is_public() -> None:
    assert public_api("a.go", "func Add(a int) int {\n\treturn x\n}\nfunc inner() {}\ntype Store struct {\n") == (
        "func Add(a int) int\ntype Store struct"
    )
    assert public_api("a.rs", "pub fn add(a: u8) -> u8 {\nfn inner() {}\n") == "pub fn add(a: u8) -> u8"
    assert public_api("a.cobol", "ADD 1 TO X") == ""


def test_a_long_file_is_cut() -> None:
    assert len(public_api("a.py", "def a(): pass\n" * 1_000).splitlines()) == MOST
