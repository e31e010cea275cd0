"""The caller of an upload tool, and the project it uploads to."""

from typing import Annotated

from fastapi import Depends, Request

from api.authentication import Caller, known_caller
from api.context import ContextDependency
from api.errors import Forbidden
from errata.errors import InvalidParameter
from errata.state.project_tokens import Purpose


class Tool:
    """`actor` is the token's prefix."""

    def __init__(self, organization_id: int, project_id: int, slug: str, actor: str) -> None:
        self.organization_id = organization_id
        self.project_id = project_id
        self.slug = slug
        self.actor = actor

    def require(self, projects: object) -> None:
        """Raises InvalidParameter if other projects are named."""
        named = projects if isinstance(projects, list) else []
        if any(one != self.slug for one in named):
            raise InvalidParameter("projects", f"this access token uploads to {self.slug} only")


def tool(
    request: Request, asking: Annotated[Caller, Depends(known_caller)], context: ContextDependency
) -> Tool:
    """Raises Forbidden for every other credential."""
    if request.state.token_purpose is not Purpose.UPLOAD:
        raise Forbidden("an access token for uploads")
    (project_id,) = asking.project_ids or frozenset()
    (slug,) = context.state.projects.slugs(asking.organization_id, [project_id]) or ("",)
    return Tool(asking.organization_id, project_id, slug, asking.actor)


ToolDependency = Annotated[Tool, Depends(tool)]
