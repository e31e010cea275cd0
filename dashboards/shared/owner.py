"""The owner who sends a form."""

from typing import Annotated

from fastapi import Depends, Request

from api.authentication import Caller, manager, of_session, require_csrf
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.form import FormDependency


def owner(request: Request, user: CurrentUserDependency, form: FormDependency) -> Caller:
    """Raises CsrfFailed and Forbidden."""
    session = user.session
    require_csrf(request, session, form["csrf_token"])
    return manager(of_session(session))


OwnerDependency = Annotated[Caller, Depends(owner)]
