from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dashboards.issue.request import IssueRequest


@dataclass(frozen=True)
class Found:
    """`values` are for the tab's template; a refresh sends nothing while `state` stays equal."""

    values: Mapping[str, object] = field(default_factory=dict)
    state: object = ()


@dataclass(frozen=True)
class Tab:
    """A tab of an issue's page.

    `template` extends issue.html; `fetch` runs in the page's own thread and may ask several things at once.

    `question` is the one that most of its figures come from; empty: it shows none of its own.
    `names` are parameters of the address that it has beside `tab`, `event`, `period` and `cursor`;
    `styles` and `scripts` are files below dashboards/static. One that is not `is_listed` is reached by links.
    """

    name: str
    title: str
    template: str
    fetch: Callable[[IssueRequest], Found]
    question: str = ""
    names: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    is_listed: bool = True
