"""The reference of the API as HTML, from its OpenAPI: groups of operations that unfold without scripts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

METHODS = ("get", "put", "post", "delete", "patch")


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and operation of every endpoint."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def reference(schema: Mapping[str, Any]) -> str:
    """The contents of its page."""
    groups: dict[str, list[str]] = {}
    for path, method, operation in operations(schema):
        group = groups.setdefault(operation["tags"][0], [])
        group.append(_operation(schema, path, method, operation))
    return "\n".join(
        (
            f"<h1>{escape(schema['info']['title'])} {escape(schema['info']['version'])}</h1>",
            f"<p>{_code(schema['info']['description'])}</p>",
            '<p>For programs: <a href="/api/openapi.json">openapi.json</a></p>',
            _limits(schema["info"]["x-limits"]),
            *(_group(name, groups[name]) for name in sorted(groups)),
        )
    )


def _limits(limits: Sequence[Mapping[str, Any]]) -> str:
    rows = (
        _row(
            f"{limit['value']:,}",
            limit["meaning"] + (f" Setting: `{limit['setting']}`." if limit["setting"] else ""),
            "",
        )
        for limit in limits
    )
    return (
        '<details class="group"><summary><h2>Limits in force</h2></summary>'
        f'<section id="limits"><table>{"".join(rows)}</table></section></details>'
    )


def _group(name: str, parts: Sequence[str]) -> str:
    return (
        f'<details class="group"><summary><h2>{escape(name.capitalize())}</h2> <span>{len(parts)}</span>'
        f'</summary><section id="group-{escape(name.replace(" ", "-"))}">{"".join(parts)}</section></details>'
    )


def _operation(schema: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]) -> str:
    """The anchor is within what unfolds: browsers unfold whatever is around the anchor of an address."""
    summary = f"<span>{_code(operation.get('summary', ''))}</span>"
    said = f"<p>{_code(operation['description'])}</p>" if "description" in operation else ""
    rows = "".join(_rows(schema, operation))
    return (
        f'<details class="operation"><summary><h3><b class="{method}">{method.upper()}</b> '
        f"<code>{escape(path)}</code></h3> {summary}</summary>"
        f'<section id="operation-{escape(operation["operationId"])}">{said}<table>{rows}</table>'
        f"{_trial(path, operation) if method == 'get' else ''}</section></details>\n"
    )


def _rows(schema: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    for parameter in operation.get("parameters", []):
        name = f"{parameter['name']} ({parameter['in']})"
        yield _row(name, parameter.get("description", ""), sketch(schema, parameter["schema"]))
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield _row(f"body, {kind}", "", sketch(schema, content.get("schema", {})))
    for status, response in sorted(operation["responses"].items()):
        for content in response.get("content", {"": {}}).values():
            shape = "" if status >= "400" else sketch(schema, content.get("schema", {}))
            yield _row(status, response["description"], shape)


def _trial(path: str, operation: Mapping[str, Any]) -> str:
    """A form that a script of the page shows, and sends with the session of the reader."""
    fields = "".join(
        f'<label>{escape(one["name"])} <input name="{escape(one["name"])}" data-in="{one["in"]}"'
        f"{' required' if one.get('required') else ''}></label>"
        for one in operation.get("parameters", [])
    )
    return f'<form data-try="{escape(path)}" hidden>{fields}<button class="button">Try it</button></form>'


def _row(name: str, description: str, shape: str) -> str:
    shown = f"<pre>{escape(shape)}</pre>" if shape else ""
    return f'<tr><th scope="row">{escape(name)}</th><td>{_code(description)}{shown}</td></tr>'


def sketch(schema: Mapping[str, Any], shape: Mapping[str, Any], indent: str = "") -> str:
    """The shape of a value as people write it: `{"slug": string, …}`."""
    if "$ref" in shape:
        return sketch(schema, schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]], indent)
    if "anyOf" in shape:
        return " or ".join(filter(None, (sketch(schema, choice, indent) for choice in shape["anyOf"])))
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
