"""What files are for, as projects really name them."""

import pytest

from agents.domain.context.kinds_of_files import decisions, guards, interfaces, is_interface, is_internal, standards


@pytest.mark.parametrize(
    "path",
    [
        *(
            "types/user.d.ts",
            "api/openapi.yaml",
            "openapi.json",
            "proto/shop.proto",
            "shop/protocols.py",
            "db/schema.sql",
        ),
        *("shop/interfaces/cart.py", "schemas/order.json", "user.schema.json", "stubs/shop.pyi", "types/order.ts"),
    ],
)
def test_definitions_of_interfaces_are_no_internals(path: str) -> None:
    assert is_interface(path) and not is_internal(path)


@pytest.mark.parametrize("path", ["shop/cart.py", "src/Login.tsx", "cmd/main.go", "src/lib.rs", "api/auth.py"])
def test_code_of_the_product_is_internal(path: str) -> None:
    assert is_internal(path) and not is_interface(path)


@pytest.mark.parametrize(
    "path", ["tests/test_cart.py", "tests/conftest.py", "src/cart.test.ts", "README.md", "package.json", "conftest.py"]
)
def test_tests_their_fixtures_and_papers_are_no_internals(path: str) -> None:
    assert not is_internal(path)


def test_each_kind_comes_in_the_order_in_which_it_is_read() -> None:
    paths = [
        "docs/adr/0002-b.md",
        "docs/adr/0001-a.md",
        "docs/adr/README.md",
        "docs/standards/UI.md",
        "CONTRIBUTING.md",
    ]
    assert decisions(paths) == ["docs/adr/0002-b.md", "docs/adr/0001-a.md"]
    assert standards(paths) == ["CONTRIBUTING.md", "docs/standards/UI.md"]
    assert standards(["docs/STANDARDS/TESTING.md", "src/standards.py"]) == ["docs/STANDARDS/TESTING.md"]
    assert [*interfaces(["a.py", "a.proto"])] == ["a.proto"]
    code = [
        "shop/deep/auth.py",
        "shop/session.py",
        "tests/test_auth.py",
        "requirements-dev.txt",
        "docs/auth.md",
        "go.mod",
    ]
    assert guards(code) == ["go.mod", "requirements-dev.txt", "shop/session.py", "shop/deep/auth.py"]
