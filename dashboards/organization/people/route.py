"""The people of the organization."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import PEOPLE
from errata.state.users import Role

router = APIRouter()


@router.get(PEOPLE.path)
def people_page(request: Request, context: ContextDependency, user: CurrentUserDependency) -> Response:
    session = user.session
    people = context.state.users.of_organization(session.organization_id, told_of=session.project_ids)
    body = render(
        "organization/people/people.html",
        user.framed(request, "People", "organization"),
        **navigation(PEOPLE),
        invitations=[
            (link, context.state.projects.slugs(link.organization_id, link.project_ids))
            for link in context.state.one_time_links.open_invitations(session.organization_id)
        ],
        people=people,
        with_two_steps=context.state.authenticators.are_on([person.id for person in people]),
        is_required=context.state.two_steps.are_required(session.organization_id),
        has_mail=context.mail is not None,
        me=session.email,
        roles=[role.value for role in Role],
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
