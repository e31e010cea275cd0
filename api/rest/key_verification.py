"""Verify the API key, as shippers do when they start."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel

from api.authentication import DECLARED, api_key_owner
from api.context import ContextDependency
from api.errors import InvalidApiKey, KeyNotVerified
from api.parameters import Moment
from api.problems import Problem, responses

router = APIRouter(tags=["keys"])


class Verification(BaseModel):
    valid: bool
    organization: str
    created_at: Moment


class NotVerified(Problem):
    valid: Literal[False]


@router.get(
    "/api/auth/verify",
    operation_id="verify",
    summary="Verify the API key",
    dependencies=DECLARED[:1],
    responses={
        **responses("state_unavailable"),
        401: {"model": NotVerified, "description": "`invalid_api_key`"},
    },
)
def verify(request: Request, context: ContextDependency) -> Verification:
    try:
        owner = api_key_owner(request, context)
    except InvalidApiKey as error:
        raise KeyNotVerified from error
    return Verification(valid=True, organization=owner.organization, created_at=owner.created_at)
