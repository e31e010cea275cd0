"""Every text that a schema leaves free is apart, wherever it stands in an answer."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from api.mcp.answer import MOST_BYTES, Answer
from api.mcp.provenance import COMPUTED, OF_ACCOUNTS, Schemas
from api.mcp.tool import Tool
from api.mcp.tools import TOOLS
from api.reference import operations
from errata.warehouse import sql
from tests.api.conftest import Api
from tests.api.mcp.agents import trusted

ORDER = "ORDER"
DOCS = Path(__file__).parents[3] / "docs" / "agents.md"


class Made:
    """An answer in which every free text gives an order."""

    def __init__(self, openapi: Mapping[str, Any]) -> None:
        self.models = openapi["components"]["schemas"]
        self.fields: set[str] = set()

    def of(self, schema: Mapping[str, Any], model: str = "", depth: int = 0) -> Any:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self.of(self.models[name], name, depth + 1)
        if "anyOf" in schema:
            return self.of(next(one for one in schema["anyOf"] if one.get("type") != "null"), model, depth)
        if depth > 12:
            return None
        if "properties" in schema:
            self.fields |= {f"{model}.{name}" for name in schema["properties"]}
            return {name: self.of(part, "", depth + 1) for name, part in schema["properties"].items()}
        return self._plain(schema, depth)

    def _plain(self, schema: Mapping[str, Any], depth: int) -> Any:
        match schema.get("type"):
            case "array" if "prefixItems" in schema:
                return [self.of(part, "", depth + 1) for part in schema["prefixItems"]]
            case "array":
                return [self.of(schema.get("items", {}), "", depth + 1)] * 2
            case "object":
                of_values = schema.get("additionalProperties")
                return {ORDER: self.of(of_values if isinstance(of_values, dict) else {}, "", depth + 1)}
            case "integer" | "number" | "boolean":
                return 1
        bounded = schema.get("enum") or [schema.get("const")]
        return bounded[0] if bounded[0] is not None else {"pattern": "0" * 16}.get(_bound(schema), ORDER)


def _bound(schema: Mapping[str, Any]) -> str:
    return "pattern" if schema.get("pattern", "").startswith("^[0-9a-f]") or "format" in schema else ""


def used(api: Api) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The operations of tools, each with the schema of its answer."""
    wanted = {operation for tool in TOOLS for operation in tool.operations} - {"run_sql"}
    for _, _, operation in operations(api.app.openapi()):
        if operation["operationId"] in wanted:
            wanted.discard(operation["operationId"])
            responses = operation["responses"]
            answer = responses.get("200") or responses["201"]
            yield operation["operationId"], answer["content"]["application/json"]["schema"]
    assert not wanted


def test_no_free_text_of_any_answer_is_taken_for_the_services_own(api: Api) -> None:
    schemas, listed = Schemas(api.app.openapi()), COMPUTED | OF_ACCOUNTS
    made, count = Made(api.app.openapi()), 0
    for operation_id, schema in used(api):
        answer = made.of(schema)
        shown = schemas.marked(operation_id, answer)
        count += json.dumps(answer).count(ORDER)
        left = _orders(trusted(shown))
        # What the list says that Errata writes itself, by the last name of its path.
        own = {entry.partition(".")[2] for entry in listed} | (
            {"*"} if operation_id == "provenance" else set()
        )
        assert operation_id == "provenance" or {name for name in left if name not in own} == set()
    assert count > 100
    stale = {entry for entry in listed if not entry.endswith(".*")} - made.fields
    assert not stale


def _orders(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            if ORDER in key:
                yield name
            yield from _orders(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _orders(part, name)
    elif value == ORDER:
        yield name


def test_the_questions_that_the_explaining_tool_names_are_there() -> None:
    (told,) = [tool.function.__doc__ for tool in TOOLS if tool.function.__name__ == "explain_number"]
    names = {word.strip(",.") for word in (told or "").split() if "_" in word}
    assert names and names <= set(sql.queries())


@pytest.mark.parametrize("length", [0, 10, 5_000, 400_000])
@pytest.mark.parametrize("text", ["a", '"', "\\", "é", "\x00"])
def test_an_answer_fits_whatever_it_holds(text: str, length: int) -> None:
    head = {"untrusted": {"title": text * length}}
    deep: Any = text * length
    for _ in range(30):
        deep = {"in": [deep, text * length]}
    items = [{"number": number, "untrusted": [text * length, deep]} for number in range(40)]
    cursor, numbers = "", []
    while True:
        shown, _ = Answer(head, items, cursor).fitted()
        content = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
        assert len(content.encode()) + len(json.dumps(content, ensure_ascii=False).encode()) <= MOST_BYTES
        numbers += [item["number"] for item in shown["items"]]
        if not (cursor := shown["next_cursor"]):
            break
    assert numbers == list(range(40))


def test_the_docs_tell_every_tool_and_what_it_needs(api: Api) -> None:
    accepted = {
        operation["operationId"]: operation.get("x-capabilities", [])
        for _, _, operation in operations(api.app.openapi())
    }
    told = []
    for tool in TOOLS:
        needed = " or ".join(f"`{each}`" for each in _needed(tool, accepted))
        assert needed
        told.append(f"| `{tool.function.__name__}` | {tool.title} | {needed} |")
    assert [line for line in DOCS.read_text().splitlines() if line.startswith("| `")] == told


def _needed(tool: Tool, accepted: Mapping[str, list[str]]) -> list[str]:
    """In the order of the first of its operations, those that are enough for all."""
    first, *others = [accepted[operation] for operation in tool.operations]
    return [each for each in first if all(each in other for other in others)]
