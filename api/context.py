"""What the endpoints work with: made once by create_app, handed to each request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from fastapi import Depends, Request

from api.settings import ApiSettings
from errata.state import Store

Check = Callable[[], str]


class Pingable(Protocol):
    def ping(self) -> bool: ...


@dataclass(frozen=True)
class Context:
    """`checks` are further parts of /api/health, by name; each answers ok, starting, off or failing."""

    settings: ApiSettings
    state: Store
    warehouse: Pingable
    base_url: str
    checks: Mapping[str, Check] = field(default_factory=dict)

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https://")


def context_of(request: Request) -> Context:
    context = request.app.state.context
    assert isinstance(context, Context)
    return context


ContextDependency = Annotated[Context, Depends(context_of)]
