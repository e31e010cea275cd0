"""The annotations of a project: written, changed and deleted here, drawn on every chart of time."""

from datetime import datetime
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.authentication import require_csrf
from api.context import ContextDependency
from api.local_path import local_path
from dashboards.annotations.view import Fields, listed
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency
from dashboards.shared.form import Form, FormDependency
from dashboards.shared.periods import moment_of_field
from dashboards.shared.rendering import render
from errata.errors import InvalidParameter
from errata.reports import formats
from errata.state.annotations import LONGEST_TEXT, Note
from errata.state.users import Role

router = APIRouter()

HERE = "/projects/{slug}/annotations"


@router.get(HERE)
def annotations_page(slug: str, request: Request, user: CurrentUserDependency) -> Response:
    """`at` and `until` fill in the form; `back` leads back to the chart."""
    given = request.query_params
    at = given.get("at", "") or formats.field_minute(datetime.now().astimezone())
    fields = Fields("", at, given.get("until", ""))
    return _page(slug, request, user, given.get("back", ""), fields)


@router.post(HERE)
def change_annotations(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    form: FormDependency,
) -> Response:
    """A new annotation leads back to its chart, a changed or deleted one to the list."""
    require_csrf(request, user.session, form["csrf_token"])
    scope = user.session.organization_id, user.project(slug).slug, user.session.user_id
    back, action = form["back"], form["action"]
    written, is_owner = context.state.annotations, user.session.role is Role.OWNER
    try:
        if action == "delete":
            written.delete(*scope, form["id"], is_owner=is_owner)
        elif action == "change":
            written.change(*scope, form["id"], _note(form), is_owner=is_owner)
        elif action == "write":
            written.write(*scope, _note(form))
            return RedirectResponse(_origin(slug, back) or _here(slug, ""), status_code=303)
        else:
            raise InvalidParameter("action", "write, change or delete")
    except InvalidParameter as error:
        fields = Fields(form["text"], form["at"], form["until"], form["id"])
        return _page(slug, request, user, back, fields, error)
    return RedirectResponse(_here(slug, back), status_code=303)


def _page(
    slug: str,
    request: Request,
    user: CurrentUser,
    back: str,
    fields: Fields,
    error: InvalidParameter | None = None,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Annotations of {project.name}", "annotations", project)
    session = user.session
    body = render(
        "annotations/list.html",
        page,
        rows=listed(user.annotations(project), session.email, session.role is Role.OWNER),
        fields=fields,
        error=error,
        back=_origin(slug, back),
        longest=LONGEST_TEXT,
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _note(form: Form) -> Note:
    """Raises InvalidParameter."""
    until = form["until"]
    return Note(form["text"], _moment(form, "at"), _moment(form, "until") if until else None)


def _moment(form: Form, name: str) -> datetime:
    try:
        return moment_of_field(form[name], formats.zone())
    except ValueError:
        raise InvalidParameter(name, "a date and time") from None


def _origin(slug: str, back: str) -> str:
    """A page of this project; empty for any other address."""
    base = f"/projects/{quote(slug, safe='')}"
    is_ours = back == base or back.startswith((f"{base}/", f"{base}?"))
    return back if is_ours and local_path(back) == back else ""


def _here(slug: str, back: str) -> str:
    origin = _origin(slug, back)
    return HERE.format(slug=quote(slug, safe="")) + (f"?{urlencode({'back': origin})}" if origin else "")
