"""What people without a session do: use a one-time link, and ask for one by mail."""

import logging
from urllib.parse import quote

from fastapi import APIRouter, BackgroundTasks, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from api.client_address import client_of
from api.context import Context, ContextDependency
from api.errors import NoMailServer
from api.link_mail import mail_link
from api.problems import responses
from api.rest.sign_in import (
    Session,
    code_asked,
    given_fields,
    is_form,
    json_or_form,
    require_same_origin,
    session_begun,
)
from errata.errors import ErrataError, RateLimited
from errata.state.errors import CodeRequired
from errata.state.keys import RANDOM_LENGTH
from errata.state.users import normalized_email

router = APIRouter(tags=["session"])

log = logging.getLogger("api")


class LinkUse(BaseModel):
    token: str = Field(max_length=2 * RANDOM_LENGTH, description="The last part of the link's address.")
    password: str = Field(max_length=1000)


class Forgotten(BaseModel):
    email: str = Field(max_length=320)


@router.post(
    "/api/auth/link",
    operation_id="use_one_time_link",
    summary="Set a password with an invitation or password link",
    response_model=Session,
    openapi_extra=json_or_form(LinkUse, LinkUse),
    responses={
        303: {"description": "Form: redirect to the first page, or back to the link with `error`."},
        **responses(
            "invalid_parameter",
            "weak_password",
            "invalid_credentials",
            "csrf_failed",
            "code_required",
            "user_exists",
            "one_time_link_ended",
            "sign_in_expired",
            "rate_limited",
            "state_unavailable",
        ),
    },
)
async def use_one_time_link(request: Request, context: ContextDependency) -> Response:
    """Signs the person in. Each link works once; a weak or wrong password doesn't use it up. Someone with an
    account joins another organization with their existing password. With two-factor authentication, the
    response is `code_required`."""
    require_same_origin(request, context)
    given = given_fields(LinkUse, await request.body(), is_form(request))
    try:
        await run_in_threadpool(context.one_time_link_rate.take, client_of(request))
        session = await run_in_threadpool(context.state.one_time_links.use, given.token, given.password)
    except CodeRequired as asked:
        return code_asked(request, context, asked, "/")
    except ErrataError as error:
        if not is_form(request):
            raise
        back = f"/link/{quote(given.token, safe='')}?error={error.code}"
        return RedirectResponse(back, status_code=303)
    return session_begun(request, context, session, "/")


@router.post(
    "/api/auth/forgot",
    operation_id="forgot_password",
    summary="Request a password link by email",
    status_code=202,
    response_class=Response,
    responses=responses(
        "invalid_parameter", "csrf_failed", "no_mail_server", "rate_limited", "state_unavailable"
    ),
)
def forgot_password(
    given: Forgotten, request: Request, context: ContextDependency, tasks: BackgroundTasks
) -> Response:
    """The response is the same for an address without an account."""
    require_same_origin(request, context)
    if context.mail is None:
        raise NoMailServer
    context.forgotten_rate.take(client_of(request))
    # After the response, so that its time does not tell of accounts either.
    tasks.add_task(_mail_forgotten, context, given.email)
    return Response(status_code=202, background=tasks)


def _mail_forgotten(context: Context, email: str) -> None:
    try:
        context.password_mail_rate.take(normalized_email(email))
    except RateLimited:
        log.info("A password link was asked for too often")
        return
    created = context.state.one_time_links.forgotten(email)
    if created is not None:
        mail_link(context, created)
