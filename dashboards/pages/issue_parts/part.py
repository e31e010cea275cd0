"""What a part of the head of an issue's page is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboards.pages.issue_asked import Asked


def _nothing(_asked: Asked) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True)
class Part:
    """`template` is included where its list stands in the head, and sees what `ask` has found as `part`.

    What `ask` finds is also what tells a refresh that the head has changed.
    """

    template: str
    ask: Callable[[Asked], Mapping[str, object]] = _nothing
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
