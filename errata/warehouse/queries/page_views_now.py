"""What the questions of one answer about page views share."""

from collections.abc import Sequence
from threading import Lock

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.page_view import View
from errata.warehouse.queries.page_view_edge import page_view_edge
from errata.warehouse.queries.progress import Progress, progress


class PageViewsNow:
    """How far the mart is and what came in since: for one answer, so that all of it is of one moment.
    Thread-safe."""

    def __init__(self, warehouse: Warehouse, projects: Sequence[int]) -> None:
        self._warehouse = warehouse
        self._projects = tuple(projects)
        self._progress: Progress | None = None
        self._came_since: dict[Progress, list[View]] = {}
        self._lock = Lock()

    @property
    def progress(self) -> Progress:
        with self._lock:
            if self._progress is None:
                self._progress = progress(self._warehouse, "page_metrics_daily")
            return self._progress

    def came_since(self, build: Progress) -> list[View]:
        """Raises BuildsAway."""
        with self._lock:
            if build not in self._came_since:
                edge = page_view_edge(self._warehouse, self._projects, build)
                self._came_since[build] = edge.views()
            return self._came_since[build]
