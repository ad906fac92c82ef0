"""What our own look at an OpenAPI document finds, where a project has no validator."""

from copy import deepcopy
from typing import Any

import pytest

from agents.workspace.gates.agreed.openapi_faults import openapi_faults

SOUND: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/carts/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {"operationId": "one", "responses": {200: {"$ref": "#/components/responses/Cart"}}},
            "put": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Cart"}}}},
                "responses": {"2XX": {"description": "Done"}, "default": {"description": "Not"}},
            },
        },
        "x-own": 1,
    },
    "components": {
        "parameters": {"id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "responses": {"Cart": {"description": "One"}},
        "schemas": {
            "Cart": {
                "type": "object",
                "properties": {"total": {"type": "number", "minimum": 0, "exclusiveMinimum": True}},
                "example": {"schema": "no schema", "$ref": "#/nowhere"},
            }
        },
    },
}
FAULTS: list[tuple[tuple[Any, ...], Any, str]] = [
    (("openapi",), "2.0", "openapi: write 3.0.x or 3.1.x, not 2.0"),
    (("info",), {"title": "x", "version": 1}, "info: it needs a `version` that is text"),
    (("paths",), [], "paths: it is missing, or no mapping"),
    (("paths", "carts"), {}, "paths: `carts` does not begin with /"),
    (("paths", "/carts/{id}", "fetch"), {}, "paths /carts/{id}: `fetch` is no method"),
    (("paths", "/carts/{id}", "get"), {}, "paths /carts/{id} get: it needs `responses`"),
    (("paths", "/carts/{id}", "get", "responses"), {"20": {}}, "get responses: `20` is no status"),
    (("paths", "/carts/{id}", "get", "responses"), {200: {}}, "get responses 200: it needs a `description`"),
    (("paths", "/carts/{id}", "put", "requestBody"), {"schema": {}}, "put requestBody: it needs `content`"),
    (("paths", "/carts/{id}", "put", "operationId"), "one", "put: its operationId `one` is another's, too"),
    (("paths", "/carts/{id}", "parameters"), [], "get: nothing says what `{id}` in its path is"),
    (("components", "parameters", "id", "in"), "body", "parameters `id`: it needs `name`, `in` (query"),
    (("components", "parameters", "id", "required"), False, "parameters `id`: what stands in the path is `required"),
    (
        ("components", "responses"),
        {},
        "#/paths//carts/{id}/get/responses/200: there is no `#/components/responses/Cart`",
    ),
    (("components", "schemas", "Cart", "type"), "objekt", "#/components/schemas/Cart/type: 'objekt' is not valid"),
    (("components", "schemas", "Cart"), 5, "#/components/schemas/Cart: it is no schema"),
    (("components", "parameters", "id", "schema", "minLength"), "x", "/id/schema/minLength: 'x' is not of type"),
]


def test_a_sound_document_has_none() -> None:
    assert openapi_faults(SOUND) == []
    later = {**SOUND, "openapi": "3.1.0", "paths": {}, "components": {"schemas": {"All": True}}}
    assert (
        openapi_faults(later) == []
        and openapi_faults({"openapi": "3.1.1", "info": SOUND["info"], "webhooks": {}}) == []
    )


@pytest.mark.parametrize(("way", "value", "told"), FAULTS)
def test_each_fault_is_told_with_its_place(way: tuple[Any, ...], value: Any, told: str) -> None:
    body = deepcopy(SOUND)
    here: Any = body
    for part in way[:-1]:
        here = here[part]
    here[way[-1]] = value
    assert any(told in line for line in openapi_faults(body)), openapi_faults(body)
