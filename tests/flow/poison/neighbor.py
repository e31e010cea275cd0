"""A project with ordinary traffic beside the poisoned ones: none of its numbers may ever move."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.flow.poison.assets import problems_of_assets
from tests.flow.poison.originals import moved, moved_to, originals
from tests.flow.poison.pot import objects
from tests.flow.poison.seed import Delivery
from tests.flow.poison.site import Project, Site

COUNTS = {"event": 60, "transaction": 60, "session": 60, "span": 40}
ID_NAMES = ("event_id", "trace_id", "span_id", "sid")
TABLES = ("pages", "endpoints", "endpoints?side=page", "resources", "resources?by=url", "releases")
# Of the time it is, and of when it was built.
PASSING = ("hours", "days", "next_look_at", "judged_after_hours", "change_ratio")


@dataclass(frozen=True)
class Neighbor:
    site: Site
    project: Project
    ids: tuple[str, ...]
    event_count: int
    figures: dict[str, Any]

    @classmethod
    def settle(cls, site: Site) -> "Neighbor":
        """Delivers its traffic, and notes what is then shown of it."""
        project = site.create_project("Neighbor")
        items = list(_items(datetime.now(UTC)))
        answer = site.deliver(project, Delivery("neighbor", [json.dumps(item).encode() for item in items]))
        assert (answer.status, json.loads(answer.data)["rejected"]) == (200, []), answer.data
        ids = {
            held[name].replace("-", "")
            for item in items
            for held in objects(item["payload"])
            for name in ID_NAMES
            if isinstance(held.get(name), str)
        }
        event_ids = {item["payload"]["event_id"] for item in items if item["type"] == "event"}
        # What follows from builds is there from now on.
        assert not (wrong := list(problems_of_assets(site))), wrong
        return cls(site, project, tuple(sorted(ids)), len(event_ids), _figures(site, project))

    def problems(self) -> Iterator[str]:
        shown = _figures(self.site, self.project)
        counted = sum(issue["event_count"] for issue in shown["issues"])
        if counted != self.event_count:
            yield f"the neighbor's issues count {counted} events of {self.event_count}"
        for name, before in self.figures.items():
            if shown[name] != before:
                first = next(
                    (pair for pair in zip(before, shown[name], strict=False) if pair[0] != pair[1]), ""
                )
                yield f"the neighbor's {name} are others than before: {first or len(shown[name])}"


def _items(now: datetime) -> Iterator[dict[str, Any]]:
    for type_, count in COUNTS.items():
        for number, text in enumerate(originals()[type_][:count]):
            by = moved_to(now - timedelta(seconds=number))
            yield {**moved(json.loads(text), by), "logged_at": (now - timedelta(seconds=number)).isoformat()}


def _figures(site: Site, project: Project) -> dict[str, Any]:
    of_project = f"/api/projects/{project.slug}"
    shown = {"issues": site.json(f"{of_project}/issues?limit=200&period=30d")["issues"]}
    for table in TABLES:
        shown[table] = site.json(f"{of_project}/performance/{table}")[table.partition("?")[0]]
    return {name: sorted(map(_lasting, rows), key=repr) for name, rows in shown.items()}


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in PASSING}
