"""The tool `get_release_verdict`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor, Environment, Version
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def get_release_verdict(
    rest: Rest,
    version: Version,
    environment: Environment = "",
    cursor: Cursor = "",
) -> Answer:
    """Whether a release is better or worse than the one before it: the verdict, new and regressed issues, and
    as items the effect on each page and metric, most certain first. "not_enough_data" is an answer."""
    found = await rest.ask("release_verdict", version=version, environment=environment)
    effects = found.pop("effects")
    return Answer(found, effects, cursor)


TOOL = Tool(get_release_verdict, "Get a release's verdict", ("release_verdict",))
