"""Who is looking: people with an account, told by their cookie."""

from dataclasses import dataclass

import sentry_sdk
from fastapi import Request


@dataclass(frozen=True)
class Visitor:
    id: str
    name: str
    email: str
    plan: str
    country: str


VISITORS = {
    visitor.id: visitor
    for visitor in (
        Visitor("1001", "Ada Byron", "ada@example.com", "enterprise", "GB"),
        Visitor("1002", "Zoë Müller", "zoe@example.com", "free", "DE"),
        Visitor("1003", "Kenji Sato", "kenji@example.com", "free", "JP"),
        Visitor("1004", "Lena Novak", "lena@example.com", "enterprise", "CZ"),
        Visitor("1005", "Omar Haddad", "omar@example.com", "team", "MC"),
        Visitor("1006", "Inês Costa", "ines@example.com", "free", "PT"),
    )
}


def visitor_of(request: Request) -> Visitor | None:
    """The visitor who is signed in, also told to Sentry's scope."""
    visitor = VISITORS.get(request.cookies.get("visitor", ""))
    address = request.client.host if request.client else ""
    if visitor is not None:
        sentry_sdk.set_user(
            {"id": visitor.id, "email": visitor.email, "username": visitor.name, "ip_address": address}
        )
        sentry_sdk.set_tag("plan", visitor.plan)
        sentry_sdk.set_tag("country", visitor.country)
    return visitor
