"""The caller of a request: a program with the API key or an access token, or a signed-in user's browser."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPBearer

from api.context import Context, ContextDependency
from api.errors import CsrfFailed, Forbidden, InvalidApiKey
from errata.state.api_keys import ApiKeyOwner
from errata.state.capability import Capability
from errata.state.errors import ProjectNotFound, TwoStepsRequired
from errata.state.project_tokens import TokenHolder
from errata.state.projects import Project
from errata.state.sessions import WebSession
from errata.state.users import Role

SESSION_COOKIE = "errata_session"
SIGN_IN_PAGE = "/sign-in"
# The email of a failed sign-in, for its form alone: in an address it would get into logs and histories.
EMAIL_COOKIE = "errata_sign_in_email"
# The browser that gave the password may give the code.
STEP_COOKIE = "errata_sign_in_step"
# The browser that went to the provider may return.
PROVIDER_COOKIE = "errata_provider_sign_in"
CSRF_HEADER = "X-CSRF-Token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

# For OpenAPI only: FastAPI's own errors would not have our shape.
_bearer = HTTPBearer(
    auto_error=False, scheme_name="apiKey", description="`Authorization: Bearer errata_api_…`"
)
_cookie = APIKeyCookie(
    name=SESSION_COOKIE,
    auto_error=False,
    scheme_name="session",
    description=f"A signed-in browser; changes also require `{CSRF_HEADER}`.",
)


@dataclass(frozen=True)
class Caller:
    """`session` is None for a program. `project_ids`: the projects that the caller sees; None: all of the
    organization."""

    organization_id: int
    organization: str
    actor: str
    role: Role
    session: WebSession | None = None
    capabilities: tuple[Capability, ...] | None = None
    """Of an access token; None: anybody else, whose role says what they may do."""
    project_ids: frozenset[int] | None = None
    named_project: Project | None = None
    """The project that the path names, if the caller does not see all: it was looked up at the door."""

    @property
    def project_id(self) -> int:
        """Of a caller who sees one project, as each access token does."""
        (project_id,) = self.project_ids or frozenset()
        return project_id

    def project(self, context: Context, slug: str) -> Project:
        """The project that the path names. Raises ProjectNotFound."""
        if self.named_project is not None and self.named_project.slug == slug:
            return self.named_project
        return context.state.projects.get(self.organization_id, slug)


def unready_session(request: Request, context: ContextDependency) -> WebSession:
    """A signed-in person, also one who has yet to set up the second step that their organization requires."""
    if "authorization" in request.headers:
        _program(request, context)
        raise Forbidden("a signed-in user; API keys aren't allowed")
    session = session_of(request, context)
    if session is None:
        raise InvalidApiKey
    require_csrf(request, session)
    return session


def confirmed_unready_session(
    session: Annotated[WebSession, Depends(unready_session)], context: ContextDependency
) -> WebSession:
    """The same, but the person gave the password a moment ago. Raises PasswordRequired."""
    context.state.sessions.require_confirmed(session)
    return session


def known_caller(request: Request, context: ContextDependency) -> Caller:
    """The caller by the Authorization header if one is sent, else by session; with any access token."""
    asking = _caller(request, context)
    # The door to every project that a path names; what has no project in its path is narrowed by its route.
    if asking.project_ids is not None and "slug" in request.path_params:
        slug = request.path_params["slug"]
        project = context.state.projects.get(asking.organization_id, slug)
        if project.id not in asking.project_ids:
            raise ProjectNotFound(slug)
        return replace(asking, named_project=project)
    return asking


@dataclass(frozen=True)
class Needs:
    """A guard that lets a token pass if it has one of these capabilities, and everybody else."""

    capabilities: tuple[Capability, ...]

    def __call__(self, asking: Annotated[Caller, Depends(known_caller)]) -> Caller:
        own = asking.capabilities
        if own is not None and not set(own) & set(self.capabilities):
            wanted = " or ".join(each.words for each in self.capabilities)
            raise Forbidden(f"an access token that can {wanted}; this one can {also(own)}")
        return asking


def also(capabilities: Sequence[Capability]) -> str:
    return ", and ".join(each.words for each in capabilities)


any_caller = Needs((Capability.READ,))
# What reads everything reads these, too.
gate_caller = Needs((Capability.VERDICT, Capability.READ))


def uploader(asking: Annotated[Caller, Depends(Needs((Capability.UPLOAD,)))]) -> Caller:
    """A manager, or a token for uploads."""
    if asking.capabilities is None and asking.role is not Role.OWNER:
        raise Forbidden("the owner role, or an access token for uploads")
    return asking


needs_sql = Needs((Capability.SQL,))


def token_for_sql(asking: Annotated[Caller, Depends(needs_sql)]) -> Caller:
    """A token that may run SQL; of everybody else, nothing says which project they mean."""
    if asking.capabilities is None:
        raise Forbidden(f"an access token that can {Capability.SQL.words}")
    return asking


def triager(request: Request, asking: Annotated[Caller, Depends(Needs((Capability.TRIAGE,)))]) -> Caller:
    """A member, or a token that may act on issues."""
    if asking.capabilities is None:
        require_worker(request, asking.role)
    return asking


def caller(request: Request, asking: Annotated[Caller, Depends(any_caller)]) -> Caller:
    """A caller who may do what the request's method says. Every route that does not say otherwise has this
    one, so that a new route is closed to viewers."""
    require_worker(request, asking.role)
    return asking


def require_worker(request: Request, role: Role) -> None:
    """Raises Forbidden for a viewer who does not just read."""
    if role is Role.VIEWER and request.method not in SAFE_METHODS:
        raise Forbidden("the member role; viewers can change only their own account")


def whole_caller(asking: Annotated[Caller, Depends(caller)]) -> Caller:
    """A caller who sees all projects, for what concerns the organization."""
    if asking.project_ids is not None:
        raise Forbidden("access to all projects of the organization")
    return asking


def own_session(asking: Annotated[Caller, Depends(any_caller)]) -> WebSession:
    """A signed-in person of any role, for what concerns nobody else."""
    if asking.session is None:
        raise Forbidden("a signed-in user; API keys aren't allowed")
    return asking.session


def confirmed_own_session(
    session: Annotated[WebSession, Depends(own_session)], context: ContextDependency
) -> WebSession:
    """A signed-in person who gave the password a moment ago. Raises PasswordRequired."""
    context.state.sessions.require_confirmed(session)
    return session


def signed_in(asking: Annotated[Caller, Depends(caller)]) -> WebSession:
    """A signed-in person, for actions of people only."""
    return own_session(asking)


def signed_in_owner(session: Annotated[WebSession, Depends(signed_in)]) -> WebSession:
    if session.role is not Role.OWNER:
        raise Forbidden("the owner role")
    return session


def manager(asking: Annotated[Caller, Depends(caller)]) -> Caller:
    """A caller who may change projects and their keys: an owner, or a program with the API key."""
    if asking.role is not Role.OWNER:
        raise Forbidden("the owner role")
    return asking


def confirmed_owner(
    session: Annotated[WebSession, Depends(signed_in_owner)], context: ContextDependency
) -> WebSession:
    """An owner who gave the password a moment ago. Raises PasswordRequired."""
    context.state.sessions.require_confirmed(session)
    return session


def confirmed_manager(asking: Annotated[Caller, Depends(manager)], context: ContextDependency) -> Caller:
    """A manager; a signed-in one gave the password a moment ago. Raises PasswordRequired."""
    if asking.session is not None:
        context.state.sessions.require_confirmed(asking.session)
    return asking


def api_key_owner(request: Request, context: Context) -> ApiKeyOwner:
    """The owner of a current API key, exactly as issued. Raises InvalidApiKey for anything else."""
    owner = context.state.keys.api.owner(bearer_of(request))
    if owner is None:
        raise InvalidApiKey
    return owner


def bearer_of(request: Request) -> str:
    """The key or token as sent; empty for another scheme."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key if scheme.lower() == "bearer" else ""


def session_of(request: Request, context: Context) -> WebSession | None:
    token = request.cookies.get(SESSION_COOKIE)
    return context.state.sessions.find(token) if token else None


def require_csrf(request: Request, session: WebSession, token: str | None = None) -> None:
    """Checks the CSRF token: `token` from a form field, or the header that scripts send."""
    given = token if token is not None else request.headers.get(CSRF_HEADER, "")
    if request.method not in SAFE_METHODS and not hmac.compare_digest(
        given.encode("utf-8", "surrogatepass"), session.csrf_token.encode()
    ):
        raise CsrfFailed


def of_session(session: WebSession) -> Caller:
    return Caller(
        session.organization_id,
        session.organization,
        session.email,
        session.role,
        session=session,
        project_ids=session.project_ids,
    )


def _caller(request: Request, context: Context) -> Caller:
    if "authorization" in request.headers:
        return _program(request, context)
    session = unready_session(request, context)
    if session.lacks_second_step:
        raise TwoStepsRequired
    return of_session(session)


def _program(request: Request, context: Context) -> Caller:
    token = context.state.project_tokens.find(bearer_of(request))
    if token is None:
        owner = api_key_owner(request, context)
        actor = f"API key {owner.prefix}…"
        return Caller(owner.organization_id, owner.organization, actor, Role.OWNER)
    return of_token(token)


def of_token(token: TokenHolder) -> Caller:
    return Caller(
        token.organization_id,
        token.organization,
        f"access token {token.prefix}…",
        Role.VIEWER,
        capabilities=token.capabilities,
        project_ids=frozenset({token.project_id}),
    )


def known_reader(request: Request, context: Context) -> Caller | None:
    """The caller of a route that needs none; None also for a credential that is wrong or not for reading."""
    try:
        return any_caller(known_caller(request, context))
    except (InvalidApiKey, Forbidden, TwoStepsRequired):
        return None


DECLARED = [Depends(_bearer), Depends(_cookie)]
CallerDependency = Annotated[Caller, Depends(caller)]
ManagerDependency = Annotated[Caller, Depends(manager)]
WholeCallerDependency = Annotated[Caller, Depends(whole_caller)]
UploaderDependency = Annotated[Caller, Depends(uploader)]
SqlDependency = Annotated[Caller, Depends(token_for_sql)]
TriageDependency = Annotated[Caller, Depends(triager)]
# A token for verdicts may too.
GateDependency = Annotated[Caller, Depends(gate_caller)]
# A viewer may: what the request asks for changes nothing.
ReaderDependency = Annotated[Caller, Depends(any_caller)]
OwnSessionDependency = Annotated[WebSession, Depends(own_session)]
ConfirmedOwnSessionDependency = Annotated[WebSession, Depends(confirmed_own_session)]
UnreadySessionDependency = Annotated[WebSession, Depends(unready_session)]
ConfirmedUnreadySessionDependency = Annotated[WebSession, Depends(confirmed_unready_session)]
SessionDependency = Annotated[WebSession, Depends(signed_in)]
OwnerDependency = Annotated[WebSession, Depends(signed_in_owner)]
ConfirmedOwnerDependency = Annotated[WebSession, Depends(confirmed_owner)]
ConfirmedManagerDependency = Annotated[Caller, Depends(confirmed_manager)]
