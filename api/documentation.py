"""OpenAPI as served, and a page to read it on without scripts or other hosts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from api.problems import responses

router = APIRouter()

# Deliveries, uploads and health checks have threads of their own.
UPLOADS = ("/api/0/organizations/{organization}/chunk-upload/", "/api/projects/{slug}/sourcemaps")
WITHOUT_A_PLACE = frozenset({"/api/ingest", "/api/health", *UPLOADS})
_OF_UPLOADS = re.compile("|".join(re.sub(r"\{\w+\}", "[^/]+", path) for path in UPLOADS))


def has_no_place(path: str) -> bool:
    """Whether a request to this path takes none of the slots of pages."""
    return path in WITHOUT_A_PLACE or is_upload(path)


def is_upload(path: str) -> bool:
    return bool(_OF_UPLOADS.fullmatch(path))


# As FastAPI declares it; ours are 400, and a 422 of ours stays.
VALIDATION_ERROR = {
    "description": "Validation Error",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HTTPValidationError"}}},
}
METHODS = ("get", "put", "post", "delete", "patch")


def install(app: FastAPI, limits: Sequence[Mapping[str, object]]) -> None:
    """Serves both. `limits` become `x-limits` of the schema, and a table of the page."""
    generate = app.openapi

    @cache
    def openapi() -> dict[str, Any]:
        schema = generate()
        schema["info"]["x-limits"] = list(limits)
        for path, _, operation in operations(schema):
            if operation["responses"].get("422") == VALIDATION_ERROR:
                del operation["responses"]["422"]
            # Every endpoint refuses unknown parameters, and limits time and callers.
            codes = ["invalid_parameter"]
            if path not in WITHOUT_A_PLACE:
                codes += ["too_much_to_read", "too_many_at_once", "no_answer_in_time"]
            if "requestBody" in operation:
                codes.append("too_large")
            _declare(operation["responses"], codes)
        for unused in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(unused, None)
        return schema

    app.openapi = openapi  # type: ignore[method-assign]


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and operation of every endpoint."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def _declare(declared: dict[str, Any], codes: Sequence[str]) -> None:
    """Adds responses that an operation does not declare yet."""
    for status, response in responses(*codes).items():
        if str(status) not in declared:
            content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            declared[str(status)] = {"description": response["description"], "content": content}
        elif response["description"] not in declared[str(status)]["description"]:
            declared[str(status)]["description"] += f" or {response['description']}"


@router.get("/api/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    schema = request.app.openapi()
    parts = [
        f"<main><h1>{escape(schema['info']['title'])} {escape(schema['info']['version'])}</h1>",
        f"<p>{_code(schema['info']['description'])}</p>",
        '<p>For programs: <a href="/api/openapi.json">openapi.json</a></p>',
        _limits(schema["info"]["x-limits"]),
        "<nav><ul>",
        *(
            f'<li><a href="#operation-{operation["operationId"]}">'
            f"<b>{method.upper()}</b> {escape(path)}</a></li>"
            for path, method, operation in operations(schema)
        ),
        "</ul></nav>",
        *(_operation(schema, path, method, operation) for path, method, operation in operations(schema)),
        "</main>",
    ]
    return HTMLResponse(PAGE.format(body="\n".join(parts)), headers=HEADERS)


def _limits(limits: Sequence[Mapping[str, Any]]) -> str:
    rows = (
        _row(
            f"{limit['value']:,}",
            limit["meaning"] + (f" Setting: `{limit['setting']}`." if limit["setting"] else ""),
            "",
        )
        for limit in limits
    )
    return f'<section id="limits"><h2>Limits</h2><table>{"".join(rows)}</table></section>'


def _operation(schema: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]) -> str:
    rows = [
        _row(
            f"{parameter['name']} ({parameter['in']})",
            parameter.get("description", ""),
            sketch(schema, parameter["schema"]),
        )
        for parameter in operation.get("parameters", [])
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        rows.append(_row(f"body, {kind}", "", sketch(schema, content.get("schema", {}))))
    for status, response in operation["responses"].items():
        for content in response.get("content", {"": {}}).values():
            shape = "" if status >= "400" else sketch(schema, content.get("schema", {}))
            rows.append(_row(status, response["description"], shape))
    return (
        f'<section id="operation-{escape(operation["operationId"])}">'
        f"<h2><b>{method.upper()}</b> {escape(path)}</h2>"
        f"<p>{_code(operation.get('summary', ''))}. {_code(operation.get('description', ''))}</p>"
        f"<table>{''.join(rows)}</table></section>"
    )


def _row(name: str, description: str, shape: str) -> str:
    shown = f"<pre>{escape(shape)}</pre>" if shape else ""
    return f"<tr><th>{escape(name)}</th><td>{_code(description)}{shown}</td></tr>"


def sketch(schema: Mapping[str, Any], shape: Mapping[str, Any], indent: str = "") -> str:
    """The shape of a value as people write it: `{"slug": string, …}`."""
    if "$ref" in shape:
        return sketch(schema, schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]], indent)
    if "anyOf" in shape:
        return " or ".join(sketch(schema, choice, indent) for choice in shape["anyOf"])
    if "enum" in shape or "const" in shape:
        return " or ".join(json.dumps(value) for value in shape.get("enum", [shape.get("const")]))
    if shape.get("type") == "array":
        return f"[{sketch(schema, shape['items'], indent)}, …]" if "items" in shape else "[…]"
    if "properties" in shape:
        inner = indent + "  "
        lines = [f"{inner}{_field(schema, name, part, inner)}" for name, part in shape["properties"].items()]
        return "{\n" + "\n".join(lines) + f"\n{indent}}}"
    if isinstance(shape.get("additionalProperties"), Mapping):
        return f"{{name: {sketch(schema, shape['additionalProperties'], indent)}, …}}"
    return f"{shape.get('type', '')}{_bounds(shape)}"


def _field(schema: Mapping[str, Any], name: str, shape: Mapping[str, Any], indent: str) -> str:
    meaning = f"   {shape['description']}" if "description" in shape else ""
    return f'"{name}": {sketch(schema, shape, indent)},{meaning}'


def _bounds(shape: Mapping[str, Any]) -> str:
    parts = []
    if "minimum" in shape or "maximum" in shape:
        parts.append(f"{shape.get('minimum', '')} to {shape.get('maximum', '')}")
    if shape.get("default") not in (None, ""):
        parts.append(f"default {shape['default']}")
    return f" ({', '.join(parts)})" if parts else ""


def _code(text: str) -> str:
    """Markup of a text: the part between back quotes is code."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))


@router.get("/api/docs.css", include_in_schema=False)
def style() -> Response:
    return Response(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


STYLE = """
:root { color-scheme: light dark; background: light-dark(#fff, #101318); color: light-dark(#1b2029, #e3e7ee) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
main { overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin-top: 2.5rem }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-top: 1px solid #8886 }
th { width: 30%; font-weight: 500 }
a { color: light-dark(#1f5fc9, #7fb0ff) }
a:visited { color: light-dark(#6b45b8, #bda2ff) }
pre, code { font: .85rem/1.5 ui-monospace, monospace }
pre { margin: .2rem 0; white-space: pre-wrap }
nav ul { list-style: none; padding: 0 }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errata API</title><link rel="stylesheet" href="/api/docs.css"></head><body>{body}</body></html>
"""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
}
