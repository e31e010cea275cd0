"""Erasure of a project's data: a form with a preview, and the receipts."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.erasures.receipts import ErasureShown, receipts
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import ERASURE
from errata.state.users import Role

router = APIRouter()

# By field of the API: what it is called, and an example.
SUBJECTS = (
    ("email", "Person, by email address", "someone@example.com"),
    ("user_id", "Person, by ID", "4711"),
    ("user_key", "Person, by user key", "9f2c0d5e7a1b3c46"),
    ("event", "Event", "32 hexadecimal digits"),
    ("issue", "Issue", "16 hexadecimal digits"),
    ("replay", "Session replay", "32 hexadecimal digits"),
    ("replays", "Session replays of a time", "2026-11-01T00:00Z/2026-11-08T00:00Z"),
    ("project", "All data of this project", ""),
)
STATES = {
    "asked": "Starting",
    "collected": "Removing rows",
    "rows_removed": "Rows removed; rebuilding figures",
    "waiting_for_windows": "Waiting for failed figures",
    "marts_rebuilt": "Figures rebuilt; checking files",
    "verified": "Verified",
    "failed": "Failed; retrying",
}
PLACES = {
    "comments": "comments",
    "names": "page and tag names",
    "share_links": "share links",
    "alert_firings": "alerts",
    "alert_messages": "alert messages",
    "notifications": "notifications",
    "linked_issues": "tracker links",
    "subscriptions": "subscriptions to issues",
    "saved_searches": "saved searches",
}
Subject = Annotated[str, Query(max_length=32, pattern="^[0-9a-f]*$")]


@router.get("/projects/{slug}/settings/erasure")
def erasure_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    event: Subject = "",
    issue: Subject = "",
    user_key: Subject = "",
    replay: Subject = "",
) -> Response:
    project = user.project(slug)
    given = {"event": event, "issue": issue, "user_key": user_key, "replay": replay}
    chosen = next(((name, value) for name, value in given.items() if value), ("email", ""))
    body = render(
        "settings/erasure/erasure.html",
        user.framed(request, f"Erasure in {project.name}", "settings", project),
        **navigation(ERASURE, project),
        subjects=SUBJECTS,
        chosen=chosen,
        receipts=[(one, _title(one), STATES[one.state]) for one in receipts(context.read, project.id)],
        places=PLACES,
        is_owner=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


def _title(receipt: ErasureShown) -> str:
    if receipt.kind == "person":
        return f"Person {receipt.subject[:12]}…"
    if receipt.kind == "project":
        return "All data of the project"
    if receipt.kind == "replays":
        return f"Replays of {receipt.subject}"
    return f"{receipt.kind.capitalize()} {receipt.subject[:12]}…"
