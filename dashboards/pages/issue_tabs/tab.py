"""What a tab of an issue's page is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dashboards.pages.issue_asked import Asked


@dataclass(frozen=True)
class Found:
    """`values` are for the tab's template; a refresh sends nothing while `state` stays equal."""

    values: Mapping[str, object] = field(default_factory=dict)
    state: object = ()


@dataclass(frozen=True)
class Tab:
    """`template` extends issue.html; `ask` runs in the page's own thread: it may ask several things at once.

    `names` are parameters of the address that it has beside `tab`, `event`, `period` and `cursor`;
    `styles` and `scripts` are files below dashboards/static. One that is not `is_listed` is reached by links.
    """

    name: str
    title: str
    template: str
    ask: Callable[[Asked], Found]
    names: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    is_listed: bool = True
