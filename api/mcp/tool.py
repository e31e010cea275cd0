"""What a tool is: a function that asks the REST API, and what is told of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from api.mcp.answer import Answer


@dataclass(frozen=True)
class Tool:
    """`function` takes a `Rest` and the arguments; its name and docstring are the tool's. `operations`: of
    REST, whose guards say what its token may do."""

    function: Callable[..., Awaitable[Answer]]
    title: str
    operations: tuple[str, ...]
    is_read_only: bool = True
    is_idempotent: bool = True
