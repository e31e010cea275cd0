"""OpenAPI as served, and the page to read it on, which needs no scripts and no other hosts."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.routing import BaseRoute

from api.capabilities import capabilities_by_operation
from api.problems import responses
from api.reference import operations, reference

router = APIRouter()

# Deliveries, uploads and health checks have threads of their own.
UPLOADS = ("/api/0/organizations/{organization}/chunk-upload/", "/api/projects/{slug}/sourcemaps")
DIRECT = ("/api/{project_id}/envelope/", "/api/{project_id}/store/", "/v1/traces", "/v1/logs")
# Nor does SQL of programs: it streams for a minute, and the engine counts it apart.
WITHOUT_A_PLACE = frozenset({"/api/sql", "/api/ingest", "/api/health", *UPLOADS, *DIRECT})
_OF_SDKS = re.compile(
    r"/v1/(?:traces|logs)|/api/(?:embed/error-page|"
    r"[0-9]+/(?:envelope|store|minidump|cron/[^/]+(?:/[^/]+)?|integration/otlp/v1/(?:traces|logs)))/?"
)
_OF_UPLOADS = re.compile("|".join(re.sub(r"\{\w+\}", "[^/]+", path) for path in UPLOADS))


def has_no_place(path: str) -> bool:
    """Whether a request to this path takes none of the slots of pages."""
    return path in WITHOUT_A_PLACE or is_direct(path) or is_upload(path)


def is_direct(path: str) -> bool:
    """Whether SDKs send here by DSN."""
    return bool(_OF_SDKS.fullmatch(path))


def is_upload(path: str) -> bool:
    return bool(_OF_UPLOADS.fullmatch(path))


# As FastAPI declares it; ours are 400, and a 422 of ours stays.
VALIDATION_ERROR = {
    "description": "Validation Error",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HTTPValidationError"}}},
}

ReferencePage = Callable[[Request, str], Response]
"""Of a request and the contents; `reference_page` of an application below pages, which have a frame."""


def install(app: FastAPI, limits: Sequence[Mapping[str, object]], routes: Sequence[BaseRoute]) -> None:
    """Serves both. `limits` become `x-limits` of the schema, and a table of the page; each operation says
    which access tokens it accepts, by the guards of its route."""
    capabilities = capabilities_by_operation(routes)
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
            if accepted := capabilities.get(operation["operationId"]):
                operation["x-capabilities"] = list(accepted)
                told = " or ".join(f"`{each}`" for each in accepted)
                description = operation.get("description", "")
                operation["description"] = f"{description}\n\nAccess token: {told}.".strip()
        for unused in ("HTTPValidationError", "ValidationError"):
            schema["components"]["schemas"].pop(unused, None)
        return schema

    app.openapi = openapi  # type: ignore[method-assign]


def _declare(declared: dict[str, Any], codes: Sequence[str]) -> None:
    """Adds responses that an operation does not declare yet."""
    for status, response in responses(*codes).items():
        if str(status) not in declared:
            content = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            declared[str(status)] = {"description": response["description"], "content": content}
        elif response["description"] not in declared[str(status)]["description"]:
            declared[str(status)]["description"] += f" or {response['description']}"


@router.get("/api/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    contents = reference(request.app.openapi())
    framed: ReferencePage | None = getattr(request.app.state, "reference_page", None)
    if framed is not None:
        return framed(request, contents)
    return HTMLResponse(PAGE.format(body=contents), headers=HEADERS)


@router.get("/api/docs.css", include_in_schema=False)
def style() -> Response:
    return Response(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


STYLE = """
:root { color-scheme: light dark; background: light-dark(#fff, #101318); color: light-dark(#1b2029, #e3e7ee) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
main { overflow-wrap: anywhere }
h2, h3 { display: inline; font-size: 1.1rem; margin: 0 }
h3 { font-size: 1rem }
summary { cursor: pointer; padding: .4rem 0 }
.operation { margin-left: 1rem }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-top: 1px solid #8886 }
th { width: 30%; font-weight: 500 }
a { color: light-dark(#1f5fc9, #7fb0ff) }
a:visited { color: light-dark(#6b45b8, #bda2ff) }
pre, code { font: .85rem/1.5 ui-monospace, monospace }
pre { margin: .2rem 0; white-space: pre-wrap }
[hidden] { display: none }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errata API</title><link rel="stylesheet" href="/api/docs.css"></head>
<body><main>{body}</main></body></html>
"""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
}
