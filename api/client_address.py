"""The address that a request comes from, by which visits are limited and the activity log names it."""

from fastapi import Request
from starlette.types import Scope


def client_of(request: Request) -> str:
    return address_of(request.scope)


def address_of(scope: Scope) -> str:
    """Empty where the server knows none."""
    client = scope.get("client")
    return str(client[0]) if client else ""
