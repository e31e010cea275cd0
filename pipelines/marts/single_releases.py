"""Releases that fail to compare: each is set aside alone, and the others are judged."""

import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TypeVar

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.set_aside import ProjectWindow, standing
from pipelines.builder.by_project import failure_of, raise_if_away
from pipelines.builder.set_aside import recovered, set_aside
from pipelines.marts.due_releases import Release

log = logging.getLogger("errata.builds")

Done = TypeVar("Done")

# Failures are recorded by windows of whole seconds.
EARLIEST = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
LATEST = datetime(2106, 1, 1, tzinfo=UTC)


class SingleReleases:
    """The releases set aside, for one run. Two releases of a project that begin in the same second share a
    record."""

    def __init__(self, warehouse: Warehouse, mart: str) -> None:
        self._warehouse = warehouse
        self._mart = mart
        known = standing(warehouse, mart)
        self._held = {one.project_window for one in known}
        self._waiting = {one.project_window for one in known if not one.is_due}

    def waits(self, release: Release) -> bool:
        return project_window_of(release) in self._waiting

    def attempt(self, release: Release, judge: Callable[[], Done]) -> Done | None:
        """The result of `judge`; None after a failure, which is recorded for a retry."""
        project_id, window = project_window = project_window_of(release)
        try:
            done = judge()
        except Exception as error:
            raise_if_away(error)
            log.exception("The release %s of project %d could not be judged", release.version, project_id)
            failure = failure_of(project_id, error, window, release.version)
            set_aside(self._warehouse, self._mart, [failure])
            return None
        if project_window in self._held:
            recovered(self._warehouse, self._mart, [project_window])
            self._held.remove(project_window)
        return done

    @property
    def projects(self) -> set[int]:
        return {project_id for project_id, _ in self._held}

    def forget_others(self, project_id: int, releases: Iterable[Release]) -> None:
        """Clears due failures of releases that the project no longer lists: nothing would retry them.

        A release may have left the days searched, or begin at an earlier moment than recorded.
        """
        due = {
            project_window for project_window in self._held - self._waiting if project_window[0] == project_id
        }
        gone = due - {project_window_of(release) for release in releases}
        recovered(self._warehouse, self._mart, gone)
        self._held -= gone


def project_window_of(release: Release) -> ProjectWindow:
    moment = min(max(release.first_view_at, EARLIEST), LATEST)
    return release.project_id, moment.replace(microsecond=0)
