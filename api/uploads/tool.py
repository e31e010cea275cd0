"""The caller of an upload tool, and the project it uploads to."""

from typing import Annotated

from fastapi import Depends

from api.authentication import Caller, Needs
from api.context import ContextDependency
from api.errors import Forbidden
from errata.errors import InvalidParameter
from errata.state.capability import Capability


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


def tool(asking: Annotated[Caller, Depends(Needs((Capability.UPLOAD,)))], context: ContextDependency) -> Tool:
    """Raises Forbidden for every other credential."""
    if asking.capabilities is None:
        raise Forbidden("an access token for uploads")
    (slug,) = context.state.projects.slugs(asking.organization_id, [asking.project_id]) or ("",)
    return Tool(asking.organization_id, asking.project_id, slug, asking.actor)


ToolDependency = Annotated[Tool, Depends(tool)]
