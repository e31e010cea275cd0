"""Single sign-on: pages lead here, and the provider leads back. Every outcome is a redirect."""

import logging
from collections.abc import Callable
from typing import Annotated, TypeVar, TypeVarTuple
from urllib.parse import urlencode

from anyio import CapacityLimiter, fail_after, to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from api.authentication import PROVIDER_COOKIE, SIGN_IN_PAGE
from api.client_address import client_of
from api.context import Context, ContextDependency
from api.errors import RouteNotFound
from api.local_path import local_path
from api.oidc.errors import ProviderFailed, ProviderUnreachable
from api.oidc.sign_in import Returned, SingleSignOn
from api.problems import responses
from api.rest.sign_in import code_page, is_https, signed_in_page
from errata.errors import ErrataError
from errata.state.errors import CodeRequired
from errata.state.provider_sign_ins import LASTS

router = APIRouter(tags=["session"])

log = logging.getLogger("api")

# Longer than a provider usually takes, and short enough that a slow one fills no slots with waiting requests.
WAIT_SECONDS = 2
COOKIE_PATH = "/api/auth/oidc"
Result = TypeVar("Result")
Given = TypeVarTuple("Given")
Text = Annotated[str, Query(max_length=4000)]


@router.get(
    COOKIE_PATH,
    operation_id="begin_single_sign_on",
    summary="Go to the sign-in provider",
    status_code=303,
    response_class=Response,
    responses={
        303: {"description": "Redirect to the provider, or to the sign-in page with `error`."},
        **responses("invalid_parameter", "not_found"),
    },
)
async def begin_single_sign_on(
    request: Request,
    context: ContextDependency,
    next: Annotated[str, Query(max_length=2000, description="Page to redirect to after the sign-in.")] = "/",  # noqa: A002 - the address's word
) -> Response:
    """For browsers. Responds with `not_found` if no provider is configured."""
    sign_on, destination = _configured(context), local_path(next)
    try:
        await to_thread.run_sync(context.provider_rate.take, client_of(request))
        begun, address = await _asked(context, sign_on.begin, destination)
    except ErrataError as error:
        return _back(error, destination)
    answer = RedirectResponse(address, status_code=303)
    answer.set_cookie(
        PROVIDER_COOKIE,
        begun.token,
        max_age=int(LASTS.total_seconds()),
        path=COOKIE_PATH,
        secure=is_https(request, context),
        httponly=True,
        # The provider leads back by a link, with which browsers send such a cookie.
        samesite="lax",
    )
    return answer


@router.get(
    f"{COOKIE_PATH}/callback",
    operation_id="complete_single_sign_on",
    summary="Return from the sign-in provider",
    status_code=303,
    response_class=Response,
    responses={
        303: {"description": "Redirect to the requested page, or to the sign-in page with `error`."},
        **responses("invalid_parameter", "not_found"),
    },
)
async def complete_single_sign_on(
    request: Request,
    context: ContextDependency,
    state: Text = "",
    code: Text = "",
    error: Text = "",
    iss: Text = "",
) -> Response:
    """For browsers that return from the provider. Each return works once, in the browser that started it."""
    sign_on, destination = _configured(context), "/"
    try:
        begun = await to_thread.run_sync(
            context.state.provider_sign_ins.end, request.cookies.get(PROVIDER_COOKIE, ""), state
        )
        destination = begun.destination
        session = await _asked(context, sign_on.complete, begun, Returned(code, error, iss))
    except CodeRequired as asked:
        answer = code_page(request, context, asked, destination)
    except ErrataError as refused:
        answer = _back(refused, destination)
    else:
        answer = signed_in_page(request, context, session, destination)
    answer.delete_cookie(PROVIDER_COOKIE, path=COOKIE_PATH, httponly=True, samesite="lax")
    return answer


def _configured(context: Context) -> SingleSignOn:
    if context.single_sign_on is None:
        raise RouteNotFound
    return context.single_sign_on


async def _asked(context: Context, ask: Callable[[*Given], Result], *given: *Given) -> Result:
    """What the provider's threads found out. Raises ProviderUnreachable where all of them hang."""
    waiting = object()
    try:
        with fail_after(WAIT_SECONDS):
            await context.provider_limiter.acquire_on_behalf_of(waiting)
    except TimeoutError:
        raise ProviderUnreachable("too many sign-ins are waiting for it") from None
    try:
        return await to_thread.run_sync(ask, *given, limiter=CapacityLimiter(1))
    finally:
        context.provider_limiter.release_on_behalf_of(waiting)


def _back(error: ErrataError, destination: str) -> RedirectResponse:
    log.warning("A sign-in through the provider failed with %s: %s", error.code, error)
    reason = error.reason if isinstance(error, ProviderFailed) else ""
    query = {"error": error.code, "next": destination, **({"reason": reason} if reason else {})}
    return RedirectResponse(f"{SIGN_IN_PAGE}?{urlencode(query)}", status_code=303)
