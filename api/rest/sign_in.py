"""Signing in and out. JSON for programs; an HTML form gets a redirect."""

from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from api import authentication, problems
from api.authentication import (
    DECLARED,
    EMAIL_COOKIE,
    SESSION_COOKIE,
    SIGN_IN_PAGE,
    STEP_COOKIE,
    OwnSessionDependency,
    UnreadySessionDependency,
)
from api.context import Context, ContextDependency
from api.errors import CsrfFailed
from api.local_path import local_path
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.errors import ErrataError, InvalidParameter
from errata.state.errors import CodeRequired, InvalidCredentials
from errata.state.half_sign_ins import HALF_SIGN_IN_LASTS
from errata.state.sessions import WebSession
from errata.state.users import Role

router = APIRouter(tags=["session"])

Fields = TypeVar("Fields", bound=BaseModel)
FORM = "application/x-www-form-urlencoded"
CODE_PAGE = f"{SIGN_IN_PAGE}/code"
_EMAIL_SECONDS = 60


class Credentials(BaseModel):
    email: str = Field(max_length=320)
    password: str = Field(max_length=1000)


class SignIn(Credentials):
    next: str = Field("/", max_length=2000, description="Forms only: page to redirect to.")


class Session(Shown):
    email: str
    role: str
    organization: str
    time_zone: str = Field(description="Used for times on pages; the API uses UTC.")
    csrf_token: str = Field(description="Sent as X-CSRF-Token with every change.")
    expires_at: Moment


class OpenSessionShown(Shown):
    started_at: Moment = Field(validation_alias="created_at")
    expires_at: Moment
    is_own: bool = Field(description="Whether it is the session of this request.")


class SessionList(BaseModel):
    sessions: list[OpenSessionShown]


class PasswordChange(BaseModel):
    current_password: str = Field(max_length=1000)
    new_password: str = Field(max_length=1000)


class PasswordConfirmation(BaseModel):
    password: str = Field(max_length=1000)


class OwnOrganization(Shown):
    id: int = Field(validation_alias="organization_id")
    name: str = Field(validation_alias="organization")
    role: Role
    is_current: bool = Field(description="Whether this session is in it.")


class OwnOrganizationList(BaseModel):
    organizations: list[OwnOrganization]


class OrganizationChoice(BaseModel):
    organization_id: int = Field(ge=1, le=(1 << 31) - 1)


class TimeZoneChange(BaseModel):
    time_zone: str = Field(max_length=64, description="A name such as `Europe/Berlin`.")


def json_or_form(json: type[BaseModel], form: type[BaseModel]) -> dict[str, Any]:
    """For `openapi_extra=` of a route that reads its body itself."""
    schemas = {"application/json": json, FORM: form}
    content = {kind: {"schema": model.model_json_schema()} for kind, model in schemas.items()}
    return {"requestBody": {"required": True, "content": content}}


@router.post(
    "/api/auth/sign-in",
    operation_id="sign_in",
    summary="Sign in",
    response_model=Session,
    openapi_extra=json_or_form(Credentials, SignIn),
    responses={
        303: {
            "description": "Form: redirect to `next`, to the page that asks for a code, or back to the "
            "sign-in page with `error`."
        },
        **responses(
            "invalid_parameter",
            "invalid_credentials",
            "code_required",
            "csrf_failed",
            "sign_in_expired",
            "rate_limited",
            "state_unavailable",
        ),
    },
)
async def sign_in(request: Request, context: ContextDependency) -> Response:
    """Sets the session cookie. Ten attempts in five minutes are allowed per email address. With two-factor
    authentication, the response is `code_required`, with a cookie for `POST /api/auth/sign-in/code`."""
    require_same_origin(request, context)
    of_form = is_form(request)
    given = given_fields(SignIn, await request.body(), of_form)
    destination = local_path(given.next)
    try:
        session = await run_in_threadpool(context.state.sessions.sign_in, given.email, given.password)
        if session is None:
            raise InvalidCredentials
    except CodeRequired as asked:
        return code_asked(request, context, asked, destination)
    except ErrataError as error:
        if not of_form:
            raise
        query = urlencode({"error": error.code, "next": destination})
        back = RedirectResponse(f"{SIGN_IN_PAGE}?{query}", status_code=303)
        back.set_cookie(
            EMAIL_COOKIE,
            quote(given.email),
            max_age=_EMAIL_SECONDS,
            path=SIGN_IN_PAGE,
            secure=is_https(request, context),
            httponly=True,
            samesite="lax",
        )
        return back
    return session_begun(request, context, session, destination)


@router.post(
    "/api/auth/sign-out",
    operation_id="sign_out",
    summary="Sign out",
    status_code=204,
    response_class=Response,
    responses={
        303: {"description": "Form: redirect to the sign-in page."},
        **responses("csrf_failed", "state_unavailable"),
    },
)
async def sign_out(request: Request, context: ContextDependency) -> Response:
    """A form sends the CSRF token in the field `csrf_token`."""
    of_form = is_form(request)
    session = await run_in_threadpool(authentication.session_of, request, context)
    if session is not None:
        token = _form(await request.body()).get("csrf_token", "") if of_form else None
        authentication.require_csrf(request, session, token)
        await run_in_threadpool(context.state.sessions.sign_out, session.token)
    answer = RedirectResponse(SIGN_IN_PAGE, status_code=303) if of_form else Response(status_code=204)
    answer.delete_cookie(
        SESSION_COOKIE, path="/", httponly=True, samesite="lax", secure=is_https(request, context)
    )
    return answer


@router.get(
    "/api/auth/session",
    operation_id="session",
    summary="Get the signed-in user",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable"),
)
def current_session(session: UnreadySessionDependency) -> Session:
    return Session.of(session)


@router.post(
    "/api/auth/password",
    operation_id="change_password",
    summary="Change your own password",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "weak_password",
        "invalid_api_key",
        "invalid_credentials",
        "csrf_failed",
        "forbidden",
        "rate_limited",
        "state_unavailable",
    ),
)
def change_password(
    change: PasswordChange, session: OwnSessionDependency, context: ContextDependency
) -> None:
    """Ends every other session of the user."""
    context.state.passwords.change(session, change.current_password, change.new_password)


@router.post(
    "/api/auth/confirm",
    operation_id="confirm_password",
    summary="Confirm your password",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "invalid_credentials",
        "csrf_failed",
        "forbidden",
        "rate_limited",
        "state_unavailable",
    ),
)
def confirm_password(
    given: PasswordConfirmation, session: UnreadySessionDependency, context: ContextDependency
) -> None:
    """For the next five minutes, the session can view and change keys, and manage people."""
    context.state.sessions.confirm(session, given.password)


@router.get(
    "/api/auth/organizations",
    operation_id="own_organizations",
    summary="List the organizations you belong to",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable"),
)
def own_organizations(session: UnreadySessionDependency, context: ContextDependency) -> OwnOrganizationList:
    """By name."""
    found = context.state.members.organizations_of(session.user_id)
    return OwnOrganizationList(
        organizations=[
            OwnOrganization.of(each, is_current=each.organization_id == session.organization_id)
            for each in found
        ]
    )


@router.put(
    "/api/auth/organization",
    operation_id="switch_organization",
    summary="Switch to another of your organizations",
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "csrf_failed",
        "forbidden",
        "organization_not_found",
        "state_unavailable",
    ),
)
def switch_organization(
    choice: OrganizationChoice, session: UnreadySessionDependency, context: ContextDependency
) -> Session:
    """Applies to this session and to later sign-ins. The CSRF token is replaced, so that pages that are still
    open can't change the other organization."""
    return Session.of(context.state.sessions.switch(session, choice.organization_id))


@router.put(
    "/api/auth/time-zone",
    operation_id="choose_time_zone",
    summary="Set the time zone of your pages",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter", "invalid_api_key", "csrf_failed", "forbidden", "state_unavailable"
    ),
)
def choose_time_zone(
    change: TimeZoneChange, session: OwnSessionDependency, context: ContextDependency
) -> None:
    """The API, files and reports stay in UTC."""
    context.state.users.choose_time_zone(session.user_id, change.time_zone)


@router.get(
    "/api/auth/sessions",
    operation_id="sessions",
    summary="List your open sessions",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable"),
)
def open_sessions(session: OwnSessionDependency, context: ContextDependency) -> SessionList:
    found = context.state.sessions.of_user(session)
    return SessionList(sessions=[OpenSessionShown.of(one) for one in found])


@router.post(
    "/api/auth/sessions/end-others",
    operation_id="end_other_sessions",
    summary="End all your other sessions",
    status_code=204,
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "csrf_failed", "forbidden", "state_unavailable"),
)
def end_other_sessions(session: OwnSessionDependency, context: ContextDependency) -> None:
    context.state.sessions.end_all_others(session)


def require_same_origin(request: Request, context: Context) -> None:
    """Refuses other origins: another site must not sign a browser in to an account of its own choice."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    own = {request.headers.get("host", ""), urlsplit(context.base_url).netloc}
    if site not in ("same-origin", "none") or (origin is not None and urlsplit(origin).netloc not in own):
        raise CsrfFailed


def is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM


def given_fields(model: type[Fields], body: bytes, of_form: bool) -> Fields:
    """The fields of a form, or of a JSON object. Raises InvalidParameter."""
    try:
        if of_form:
            return model.model_validate(_form(body))
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InvalidParameter(".".join(str(part) for part in first["loc"]) or "body", first["msg"]) from None


def _form(body: bytes) -> dict[str, str]:
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[0] for name, values in fields.items()}


def is_https(request: Request, context: Context) -> bool:
    return context.is_https or request.url.scheme == "https"


def session_begun(request: Request, context: Context, session: WebSession, destination: str) -> Response:
    """Sets the session's cookie; a form is redirected to the destination."""
    if is_form(request):
        return signed_in_page(request, context, session, destination)
    answer = JSONResponse(Session.of(session).model_dump(mode="json"))
    _set_session_cookie(answer, request, context, session)
    return answer


def signed_in_page(request: Request, context: Context, session: WebSession, destination: str) -> Response:
    """Sets the session's cookie and redirects to the destination."""
    answer = RedirectResponse(destination, status_code=303)
    _set_session_cookie(answer, request, context, session)
    return answer


def code_asked(request: Request, context: Context, asked: CodeRequired, destination: str) -> Response:
    """The response between the two steps; a form is redirected to the page that asks for the code."""
    if is_form(request):
        return code_page(request, context, asked, destination)
    answer = problems.problem(request, asked)
    _set_step_cookie(answer, request, context, asked)
    return answer


def code_page(request: Request, context: Context, asked: CodeRequired, destination: str) -> Response:
    """Redirects to the page that asks for the code."""
    query = urlencode({"next": destination})
    answer = RedirectResponse(f"{CODE_PAGE}?{query}", status_code=303)
    _set_step_cookie(answer, request, context, asked)
    return answer


def _set_step_cookie(answer: Response, request: Request, context: Context, asked: CodeRequired) -> None:
    answer.set_cookie(
        STEP_COOKIE,
        asked.token,
        max_age=int(HALF_SIGN_IN_LASTS.total_seconds()),
        path="/",
        secure=is_https(request, context),
        httponly=True,
        samesite="lax",
    )


def _set_session_cookie(answer: Response, request: Request, context: Context, session: WebSession) -> None:
    answer.set_cookie(
        SESSION_COOKIE,
        session.token,
        expires=session.expires_at,
        path="/",
        secure=is_https(request, context),
        httponly=True,
        samesite="lax",
    )
    if STEP_COOKIE in request.cookies:
        answer.delete_cookie(
            STEP_COOKIE, path="/", httponly=True, samesite="lax", secure=is_https(request, context)
        )
