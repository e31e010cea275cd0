"""The second step of a sign-in: the code of an authenticator app, or a recovery code."""

from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from api.authentication import SIGN_IN_PAGE, STEP_COOKIE
from api.context import ContextDependency
from api.local_path import local_path
from api.problems import responses
from api.rest.sign_in import (
    CODE_PAGE,
    Session,
    given_fields,
    is_form,
    json_or_form,
    require_same_origin,
    session_begun,
)
from errata.errors import ErrataError
from errata.state.errors import SignInExpired

router = APIRouter(tags=["session"])

LONGEST_CODE = 64


class Code(BaseModel):
    code: str = Field(
        max_length=LONGEST_CODE, description="Six digits from the authenticator app, or a recovery code."
    )


class CodeOfSignIn(Code):
    next: str = Field("/", max_length=2000, description="Forms only: page to redirect to.")


@router.post(
    "/api/auth/sign-in/code",
    operation_id="give_code",
    summary="Complete a sign-in with a two-factor code",
    response_model=Session,
    openapi_extra=json_or_form(Code, CodeOfSignIn),
    responses={
        303: {"description": "Form: redirect to `next`, or back with `error`."},
        **responses(
            "invalid_parameter",
            "invalid_code",
            "csrf_failed",
            "sign_in_expired",
            "secret_unreadable",
            "rate_limited",
            "state_unavailable",
        ),
    },
)
async def give_code(request: Request, context: ContextDependency) -> Response:
    """Within five minutes of `code_required`, with the cookie of that response. Wrong codes count like wrong
    passwords; each code works once."""
    require_same_origin(request, context)
    of_form = is_form(request)
    given = given_fields(CodeOfSignIn, await request.body(), of_form)
    destination = local_path(given.next)
    token = request.cookies.get(STEP_COOKIE, "")
    try:
        session = await run_in_threadpool(context.state.second_step.take, token, given.code)
    except ErrataError as error:
        if not of_form:
            raise
        page = SIGN_IN_PAGE if isinstance(error, SignInExpired) else CODE_PAGE
        query = urlencode({"error": error.code, "next": destination})
        return RedirectResponse(f"{page}?{query}", status_code=303)
    return session_begun(request, context, session, destination)
