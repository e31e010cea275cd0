"""The tool `list_budgets`."""

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor
from api.mcp.rest import Rest
from api.mcp.tool import Tool


async def list_budgets(rest: Rest, cursor: Cursor = "") -> Answer:
    """Performance budgets and whether they are kept."""
    found = await rest.ask("performance_budgets")
    budgets = found.pop("budgets")
    return Answer(found, budgets, cursor)


TOOL = Tool(list_budgets, "List budgets", ("performance_budgets",))
