"""The smallest requests that a schema allows: required fields and parameters alone."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

Schema = Mapping[str, Any]

TEXTS = {
    "date-time": "2026-11-20T10:00:00Z",
    "date": "2026-11-20",
    "email": "somebody@example.org",
    "password": "a long password",
    "uuid": "0" * 32,
}
IDENTITY = re.compile(r"\^\[0-9a-f\]\{(\d+)\}\$")


def query_of(openapi: Schema, path: str, method: str) -> str:
    parameters = openapi["paths"].get(path, {}).get(method.lower(), {}).get("parameters", ())
    wanted = {
        each["name"]: value_of(openapi, each["schema"])
        for each in parameters
        if each["in"] == "query" and each.get("required")
    }
    return f"?{urlencode(wanted)}" if wanted else ""


def body_of(openapi: Schema, path: str, method: str) -> Any:
    """The JSON body of an operation; None if it takes none."""
    operation = openapi["paths"].get(path, {}).get(method.lower(), {})
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return None if schema is None else value_of(openapi, schema)


def value_of(openapi: Schema, schema: Schema) -> Any:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return value_of(openapi, openapi["components"]["schemas"][name])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return value_of(openapi, _narrowed(schema, schema[word][0]))
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {name: value_of(openapi, fields[name]) for name in schema.get("required", ())}
        case "array":
            return [value_of(openapi, schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        case "boolean":
            return False
        case "string":
            if "format" in schema:
                return TEXTS[schema["format"]]
            if identity := IDENTITY.fullmatch(schema.get("pattern", "")):
                return "0" * int(identity[1])
            return "0" * max(schema.get("minLength", 0), 16)
    return None


def _narrowed(schema: Schema, choice: Schema) -> Schema:
    """The schema of the first alternative, which may only add to what all of them have."""
    fields = dict(schema.get("properties", {}))
    for name, added in choice.get("properties", {}).items():
        fields[name] = {**fields.get(name, {}), **added}
    required = [*schema.get("required", ()), *choice.get("required", ())]
    shared = {name: value for name, value in schema.items() if name not in ("anyOf", "oneOf")}
    return {**shared, **choice, "properties": fields, "required": required}
