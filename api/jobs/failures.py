"""Failures of single items of a job, which hold up no other item."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed

log = logging.getLogger("api.jobs")

Found = TypeVar("Found")
Failed = list[tuple[str, Exception]]


class ItemsFailed(ErrataError):
    """The job completed the other items, and retries these in its next run."""

    code = "job_items_failed"

    def __init__(self, names: list[str], first: Exception) -> None:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        super().__init__(f"{names[0]}{more} failed: {type(first).__name__}: {first}")
        self.names = names


def bisected(
    projects: Sequence[int], fetch: Callable[[Sequence[int]], Sequence[Found]], failed: Failed
) -> list[Found]:
    """The results of one question about all projects. If it fails, it is asked about halves, down to the
    failing projects."""
    try:
        return list(fetch(projects))
    except QueryFailed as error:
        if len(projects) == 1:
            log.warning("A query for project %s failed: %s", projects[0], error)
            failed.append((f"project {projects[0]}", error))
            return []
    half = len(projects) // 2
    return [one for some in (projects[:half], projects[half:]) for one in bisected(some, fetch, failed)]


@contextmanager
def noted_in(failed: Failed, name: str) -> Iterator[None]:
    """Logs an exception raised within, and adds it to `failed`."""
    try:
        yield
    except Exception as error:
        log.exception("Processing %s failed", name)
        failed.append((name, error))


def raise_if_any(failed: Failed) -> None:
    """Raises ItemsFailed."""
    if failed:
        raise ItemsFailed([name for name, _ in failed], failed[0][1])
