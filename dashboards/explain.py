"""`python -m dashboards.explain ADDRESS [QUERY]`: prints the statements of a page for `errata explain`."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from urllib.parse import unquote, urlsplit

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException

from api.context import Context, ContextDependency
from dashboards.app import from_environment
from dashboards.provenance.replay import replayed
from dashboards.provenance.view import NOT_SHOWN
from dashboards.shared.current_user import CurrentUser, account_user, user_of
from errata.endings import exiting
from errata.errors import InvalidParameter
from errata.state.sessions import WebSession
from errata.state.users import Role
from errata.up.explain import printed, project_of
from errata.warehouse import sql
from errata.warehouse.provenance import question_of
from errata.warehouse.published import one_snapshot


def main(address: str, query: str = "") -> None:
    with exiting():
        for statement in explained(from_environment(os.environ), address, query):
            print(statement)  # noqa: T201


def explained(app: FastAPI, address: str, query: str = "") -> Iterable[str]:
    """What a page asks of the warehouse, made as an owner sees it; with `query`, the statements of that one.
    Raises ProjectNotFound and InvalidParameter."""
    app.dependency_overrides[account_user] = _as_owner(app.state.context, address)
    scope = {"type": "http", "http_version": "1.1", "scheme": "http", "app": app, "headers": []}
    with one_snapshot():
        try:
            page = asyncio.run(replayed(Request(scope), address))
        except HTTPException as error:
            raise InvalidParameter("address", error.detail) from error
    wanted = {query} if query else sql.queries().keys() - NOT_SHOWN
    return dict.fromkeys(printed(each) for each in page.asked if question_of(each.statement) in wanted)


def _as_owner(context: Context, address: str) -> Callable[..., CurrentUser]:
    """What says who is signed in: an owner of the project in /projects/SLUG/…, without a session."""
    slug = unquote([*urlsplit(address).path.split("/"), "", ""][2])
    organization_id, _ = project_of(context.state, slug)
    people = context.state.users.of_organization(organization_id)
    owner = next(person for person in people if person.role == Role.OWNER)
    account = owner.id, owner.email, Role.OWNER, organization_id, "", ""
    session = WebSession("", "", context.state.now(), *account, confirmed_at=None, lacks_second_step=False)

    def signed_in(request: Request, context: ContextDependency) -> CurrentUser:
        return user_of(request, context, session)

    return signed_in


if __name__ == "__main__":
    main(*sys.argv[1:])
