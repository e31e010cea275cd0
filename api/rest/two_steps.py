"""Two-factor authentication: a person's own authenticator, and what owners decide."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import (
    DECLARED,
    ConfirmedOwnerDependency,
    ConfirmedOwnSessionDependency,
    ConfirmedUnreadySessionDependency,
    UnreadySessionDependency,
)
from api.context import ContextDependency
from api.errors import Forbidden
from api.parameters import IdInPath, Moment
from api.problems import responses
from api.rest.members import CHANGE_CODES
from api.rest.second_step import Code
from api.shown import Shown
from errata.state.totp import provisioning_uri

router = APIRouter(tags=["session"])

READ_CODES = ("invalid_api_key", "forbidden", "state_unavailable")
OWN_CODES = (*READ_CODES, "invalid_parameter", "csrf_failed", "password_required")
WITH_CODE = (*OWN_CODES, "two_steps_required", "two_steps_off", "invalid_code", "secret_unreadable")


class TwoStepsShown(Shown):
    turned_on_at: Moment | None = Field(description="Null while it is off.")
    recovery_code_count: int = Field(description="Recovery codes that still work.")
    is_required: bool = Field(description="Whether the organization requires it.")


class NewSecret(BaseModel):
    secret: str = Field(description="Base32, to enter by hand.")
    uri: str = Field(description="`otpauth://…`, the content of the QR code.")


class RecoveryCodes(BaseModel):
    recovery_codes: list[str] = Field(description="Each works once. Shown only in this response.")


class Requirement(BaseModel):
    is_required: bool


@router.get(
    "/api/auth/two-steps",
    operation_id="two_steps",
    summary="Get the state of your two-factor authentication",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def two_steps(session: UnreadySessionDependency, context: ContextDependency) -> TwoStepsShown:
    return TwoStepsShown.of(context.state.two_steps.of_user(session))


@router.post(
    "/api/auth/two-steps/secret",
    operation_id="begin_two_steps",
    summary="Start setting up two-factor authentication",
    dependencies=DECLARED,
    responses=responses(*OWN_CODES, "two_steps_on"),
)
def begin_two_steps(session: ConfirmedUnreadySessionDependency, context: ContextDependency) -> NewSecret:
    """Creates a secret, to be confirmed with a code. An unconfirmed secret is replaced."""
    secret = context.state.two_steps.begin(session)
    return NewSecret(secret=secret, uri=provisioning_uri(secret, session.email))


@router.post(
    "/api/auth/two-steps",
    operation_id="turn_on_two_steps",
    summary="Turn on two-factor authentication",
    dependencies=DECLARED,
    responses=responses(*OWN_CODES, "two_steps_on", "two_steps_off", "invalid_code", "secret_unreadable"),
)
def turn_on_two_steps(
    given: Code, session: ConfirmedUnreadySessionDependency, context: ContextDependency
) -> RecoveryCodes:
    """Requires a code generated from the new secret. Ends your other sessions."""
    return RecoveryCodes(recovery_codes=context.state.two_steps.turn_on(session, given.code))


@router.post(
    "/api/auth/two-steps/recovery-codes",
    operation_id="replace_recovery_codes",
    summary="Replace your recovery codes",
    dependencies=DECLARED,
    responses=responses(*WITH_CODE, "rate_limited"),
)
def replace_recovery_codes(
    given: Code, session: ConfirmedOwnSessionDependency, context: ContextDependency
) -> RecoveryCodes:
    """The old ones no longer work."""
    codes = context.state.two_steps.replace_recovery_codes(session, given.code)
    return RecoveryCodes(recovery_codes=codes)


@router.post(
    "/api/auth/two-steps/off",
    operation_id="turn_off_two_steps",
    summary="Turn off two-factor authentication",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*WITH_CODE, "rate_limited"),
)
def turn_off_two_steps(
    given: Code, session: ConfirmedOwnSessionDependency, context: ContextDependency
) -> None:
    """Requires a code or a recovery code."""
    context.state.two_steps.turn_off(session, given.code)


@router.delete(
    "/api/members/{member_id}/two-steps",
    operation_id="turn_off_two_steps_of_member",
    summary="Turn off someone's two-factor authentication",
    status_code=204,
    dependencies=DECLARED,
    tags=["people"],
    responses=responses(
        *(code for code in CHANGE_CODES if code != "last_owner"), "member_elsewhere", "two_steps_off"
    ),
)
def turn_off_two_steps_of_member(
    member_id: IdInPath, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> None:
    """For someone who lost their authenticator app and recovery codes. Their password is still required."""
    if member_id == owner.user_id:
        raise Forbidden("your code: turn off your own two-factor authentication on Settings → Your account")
    context.state.two_steps.turn_off_of(owner.organization_id, member_id, actor=owner.email)


@router.put(
    "/api/two-steps",
    operation_id="require_two_steps",
    summary="Require two-factor authentication for everyone",
    status_code=204,
    dependencies=DECLARED,
    tags=["people"],
    responses=responses(*OWN_CODES, "two_steps_required"),
)
def require_two_steps(
    wanted: Requirement, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> None:
    """From their next request, people without it can only set it up or switch to another organization.
    Programs with the API key are not affected."""
    context.state.two_steps.require(owner.organization_id, wanted.is_required, actor=owner.email)
