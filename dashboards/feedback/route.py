"""The messages that users of a project wrote."""

import re

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from dashboards.shared.addresses import View, user_address
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.feedback import ANY, about_errors_of, feedback_of_project
from errata.warehouse.queries.issue.merged_issue import MergedIssue, merged_issue
from errata.warehouse.queries.vocabulary import issue_text

router = APIRouter()

ISSUE_ID = re.compile("[0-9a-f]{16}")


@router.get("/projects/{slug}/feedback")
def feedback_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Feedback of {project.name}", "feedback", project)
    names = ("issue", "cursor")
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in names}, {})
    about = _issue(warehouse, project.id, view["issue"]) if view["issue"] else None
    is_meant = about_errors_of(about) if about else ANY
    found = feedback_of_project(warehouse, project.id, is_meant, cursor=view["cursor"])
    state = version(found)

    def body() -> bytes:
        return render(
            "feedback/feedback.html",
            page,
            view=view,
            messages=found.messages,
            next_cursor=found.next_cursor or "",
            about=about,
            person_addresses={one.id: user_address(project.slug, one.user_hash) for one in found.messages},
            issue_texts={one.id: issue_text(one.issue_id) for one in found.messages if one.issue_id},
            version=state,
        )

    return live_answer(request, state, body)


def _issue(warehouse: Warehouse, project_id: int, text: str) -> MergedIssue:
    found = merged_issue(warehouse, project_id, int(text, 16)) if ISSUE_ID.fullmatch(text) else None
    if found is None:
        raise HTTPException(404, "Issue not found in this project.")
    return found
