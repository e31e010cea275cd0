"""Errors as responses: one shape for every body, one table from `code` to status."""

import logging
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.addresses import allowed_methods
from api.errors import BodyTooLarge, MethodNotAllowed, RouteNotFound
from api.remedies import remedy_at
from errata.errors import ErrataError, InvalidParameter
from errata.process_log.request_name import name_request
from errata.scrubbing import without_secrets
from errata.warehouse.client import TooMuchToRead

log = logging.getLogger("api")

# By code rather than by class: modules that raise errors need not be imported here. Missing codes are a 500.
STATUS: Mapping[str, int] = {
    "invalid_parameter": 400,
    "invalid_batch": 400,
    "invalid_envelope": 400,
    "key_refused": 403,
    "spool_unavailable": 503,
    "grouping_rules_not_understood": 400,
    "scrubbing_rules_not_understood": 400,
    "address_refused": 400,
    "weak_password": 400,
    "invalid_api_key": 401,
    "invalid_credentials": 401,
    "code_required": 401,
    "invalid_code": 401,
    "sign_in_expired": 410,
    "csrf_failed": 403,
    "forbidden": 403,
    "password_required": 403,
    "two_steps_required": 403,
    "two_steps_on": 409,
    "two_steps_off": 409,
    "not_found": 404,
    "application_not_found": 404,
    "member_not_found": 404,
    "invitation_not_found": 404,
    "organization_not_found": 404,
    "project_token_not_found": 404,
    "member_elsewhere": 409,
    "one_time_link_ended": 410,
    "no_mail_server": 409,
    "user_exists": 409,
    "project_not_found": 404,
    "issue_not_found": 404,
    "variant_not_found": 404,
    "action_not_found": 404,
    "event_not_found": 404,
    "attachment_not_found": 404,
    "metrics_refused": 403,
    "source_bundle_not_found": 404,
    "source_maps_unusable": 422,
    "user_not_found": 404,
    "monitor_not_found": 404,
    "replay_not_found": 404,
    "erasure_not_found": 404,
    "erasure_not_confirmed": 400,
    "nothing_to_erase": 409,
    "too_many_users": 409,
    "page_view_not_found": 404,
    "question_not_found": 404,
    "release_not_found": 404,
    "app_key_not_found": 404,
    "alert_rule_not_found": 404,
    "alert_channel_not_found": 404,
    "budget_not_found": 404,
    "report_schedule_not_found": 404,
    "report_mail_not_found": 404,
    "grouping_configuration_not_found": 404,
    "share_link_not_found": 404,
    "saved_search_not_found": 404,
    "annotation_not_found": 404,
    "integration_not_found": 404,
    "link_not_found": 404,
    "method_not_allowed": 405,
    "project_exists": 409,
    "saved_search_exists": 409,
    "nothing_to_roll_back": 409,
    "decided_since": 409,
    "app_key_exists": 409,
    "next_key_exists": 409,
    "last_owner": 409,
    "next_key_not_found": 404,
    "key_not_kept": 409,
    "secret_unreadable": 409,
    "issue_linked": 409,
    "tracker_refused": 502,
    "tracker_busy": 429,
    "too_large": 413,
    "unsupported_encoding": 415,
    "too_much_to_read": 422,
    "rate_limited": 429,
    "too_many_at_once": 429,
    "printer_missing": 501,
    "sql_not_set_up": 501,
    "sql_refused": 400,
    "not_printed": 502,
    "not_reached": 502,
    "not_delivered": 502,
    "answer_unusable": 502,
    "disk_full": 503,
    "state_unavailable": 503,
    "rows_not_stored": 503,
    "warehouse_unavailable": 503,
    "no_answer_in_time": 504,
}
RETRY_AFTER_SECONDS = 5
# Details of an internal error are in the log under the request id; they may name statements, hosts and paths.
SENTENCE_OF_STATUS = {
    500: "Internal error. Search the log for the request ID.",
    503: "The service is temporarily unavailable. Try again shortly.",
}
LONGEST_REQUEST_ID = 64
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

FailurePage = Callable[[Request, int, str, str], Response]
"""Of a request, a status, a sentence and a code; `failure_page` of an application below pages."""


class Problem(BaseModel):
    """The body of every unsuccessful response."""

    error: str
    message: str
    request_id: str


class Counters:
    """Responses of this process by error code, for operators."""

    def __init__(self) -> None:
        self.by_code: dict[str, int] = {}

    def add(self, code: str) -> None:
        self.by_code[code] = self.by_code.get(code, 0) + 1


def status_of(code: str) -> int:
    return STATUS.get(code, 500)


def code_of(error: ErrataError) -> str:
    """As responses tell it: that of an unforeseen error is in the log alone."""
    return error.code if status_of(error.code) != 500 else "internal_error"


def retry_after_of(error: ErrataError) -> int:
    """In seconds."""
    seconds: int = getattr(error, "retry_after_seconds", RETRY_AFTER_SECONDS)
    return seconds


def responses(*codes: str) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route: its codes beside success."""
    by_status: dict[int, list[str]] = {}
    # Every question to the warehouse may exceed its limits.
    limits = ("too_much_to_read", "no_answer_in_time") if "warehouse_unavailable" in codes else ()
    for code in (*codes, *limits):
        by_status.setdefault(status_of(code), []).append(f"`{code}`")
    return {
        status: {"model": Problem, "description": " or ".join(listed)}
        for status, listed in sorted(by_status.items())
    }


def problem(request: Request, error: ErrataError) -> Response:
    """The response to a foreseen error: JSON, or a page for a browser."""
    status, request_id = status_of(error.code), request_id_of(request)
    request.app.state.problem_counters.add(error.code)
    if isinstance(error, TooMuchToRead):
        error.remedy = remedy_at(request) or error.remedy
    if status in {503, 504}:
        # Expected while a component is away or busy, and as often as clients retry: one line each.
        log.warning(
            ("Request %s failed because a dependency is unavailable or busy: %s"), request_id, _reason(error)
        )
    elif status >= 500:
        log.error("Request %s failed with %s", request_id, error.code, exc_info=error)
    body = {
        "error": code_of(error),
        "message": str(error)
        if getattr(error, "says_why", False)
        else SENTENCE_OF_STATUS.get(status, str(error)),
        "request_id": request_id,
        **getattr(error, "extra", {}),
    }
    return _answer(request, status, body, _headers(status, error))


def _answer(
    request: Request, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    # A browser that follows a link or sends a form names HTML; scripts of pages and programs don't.
    page: FailurePage | None = getattr(request.app.state, "failure_page", None)
    if page is None or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(body, status_code=status, headers=headers)
    shown = page(request, status, body["message"], body["error"])
    shown.headers.update(headers or {})
    return shown


def _reason(error: BaseException) -> str:
    cause = f" ({_reason(error.__cause__)})" if isinstance(error.__cause__, ErrataError) else ""
    return f"{getattr(error, 'reason', '') or error}{cause}"


def _headers(status: int, error: ErrataError) -> dict[str, str]:
    if isinstance(error, MethodNotAllowed):
        return {"Allow": ", ".join(sorted(error.allowed))}
    if status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if status in {429, 503, 504}:
        return {"Retry-After": str(retry_after_of(error))}
    return {}


def request_id_of(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))


def install(app: FastAPI) -> None:
    """Makes every error of the application leave in the one shape."""
    app.state.problem_counters = Counters()

    async def known(request: Request, error: Exception) -> Response:
        assert isinstance(error, ErrataError)
        return problem(request, error)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem(request, _invalid_parameter(error))

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return problem(request, _of_http(request, error))

    app.add_exception_handler(ErrataError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_middleware(LastHandler, counters=app.state.problem_counters)


def _invalid_parameter(error: RequestValidationError) -> InvalidParameter:
    first = error.errors()[0]
    where, *path = first["loc"]
    # Errors about several fields of a model have no path either.
    if where == "body" and (first["type"] == "json_invalid" or (not path and first["type"] != "value_error")):
        return InvalidParameter("body", "send a JSON object with Content-Type: application/json")
    name = ".".join(str(part) for part in path) or str(where)
    return InvalidParameter(name, str(first["msg"]).removeprefix("Value error, "))


def _of_http(request: Request, error: HTTPException) -> ErrataError:
    if error.status_code == 405:
        return MethodNotAllowed(_allowed_methods(request))
    if error.status_code == 404:
        return RouteNotFound()
    if error.status_code == 413:
        return BodyTooLarge(request.scope["state"]["body_limit_bytes"])
    return InvalidParameter("body", str(error.detail))


def _allowed_methods(request: Request) -> frozenset[str]:
    """The methods of all routes with this address: the router names only those of the first."""
    return allowed_methods(request.app.state.paths, request.scope["path"]) or frozenset(
        method
        for method in METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.routes
        )
    )


class LastHandler:
    """Gives each request an id, and turns unforeseen errors into a 500 without details."""

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        self._app = app
        self._counters = counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        name_request(request_id)
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                headers["X-Content-Type-Options"] = "nosniff"
                # Responses hold keys and people's data.
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except ClientDisconnect:
            # Nobody is left to be answered.
            return
        except Exception:
            self._counters.add("internal_error")
            log.exception("Request %s to %s failed unexpectedly", request_id, scope["path"])
            if started:
                raise
            internal = {
                "error": "internal_error",
                "message": SENTENCE_OF_STATUS[500],
                "request_id": request_id,
            }
            await _answer(Request(scope), 500, internal)(scope, receive, send_with_id)


def _request_id(scope: Scope) -> str:
    """The client's own id if it is harmless in a log, else a new one."""
    if given := scope.get("state", {}).get("request_id"):
        return str(given)
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            text = str(value.decode("latin-1"))
            is_plain = text.isascii() and text.replace("-", "").isalnum()
            # Some keys are letters and digits alone.
            if len(text) <= LONGEST_REQUEST_ID and is_plain and without_secrets(text) == text:
                return text
    return uuid4().hex
