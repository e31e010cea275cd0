from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboards.issue.request import IssueRequest


def _nothing(_request: IssueRequest) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True)
class Fragment:
    """A part of the head of an issue's page.

    `template` is included where its list stands in the head, and sees the values of `fetch` as `fragment`.
    The same values tell a refresh that the head has changed.
    """

    template: str
    fetch: Callable[[IssueRequest], Mapping[str, object]] = _nothing
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
