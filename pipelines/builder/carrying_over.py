"""Carries over published rows that an attempt did not build anew."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from errata.warehouse.queries.delivery.set_aside import ProjectWindow
from pipelines.builder.attempt import Attempt
from pipelines.builder.mart import Mart
from pipelines.builder.reading import WINDOWS_AN_INSERT

DAYS_AN_INSERT = 20


@dataclass(frozen=True)
class CarryingOver:
    mart: Mart
    attempt: Attempt
    until: datetime

    def run(
        self,
        starts: Sequence[datetime],
        whole: set[datetime],
        missing: Collection[ProjectWindow],
        recovered: Collection[ProjectWindow],
    ) -> None:
        """Carries over clean windows, and in windows with these starts the projects that were not built.
        `whole`: windows built for all projects but those `missing`; in other windows only `recovered` was
        built."""
        if self.mart.has_part_of_a_partition:
            self._clean_windows(starts)
        kept = defaultdict[datetime, set[int]](set)
        for project_id, start in missing:
            kept[start].add(project_id)
        built = defaultdict[datetime, set[int]](set)
        for project_id, start in recovered:
            built[start].add(project_id)
        groups = defaultdict[tuple[bool, frozenset[int]], list[datetime]](list)
        for start in starts:
            are_others = start not in whole
            groups[are_others, frozenset(built[start] if are_others else kept[start])].append(start)
        for (are_others, projects), same in groups.items():
            if are_others or projects:
                self._projects(same, projects, are_others)

    def _clean_windows(self, starts: Sequence[datetime]) -> None:
        windows = {day: list(same) for day, same in groupby(starts, self.mart.partition_day)}
        days = list(windows)
        for number in range(0, len(days), DAYS_AN_INSERT):
            some = days[number : number + DAYS_AN_INSERT]
            parameters = {"days": some, "windows": [start for day in some for start in windows[day]]}
            self._carry_over("carry_over_windows", parameters)

    def _projects(self, starts: Sequence[datetime], projects: Iterable[int], are_others: bool) -> None:
        for number in range(0, len(starts), WINDOWS_AN_INSERT):
            some = list(starts[number : number + WINDOWS_AN_INSERT])
            parameters = {"windows": some, "projects": sorted(projects), "are_others": are_others}
            self._carry_over("carry_over_projects", parameters)

    def _carry_over(self, name: str, parameters: dict[str, object]) -> None:
        self.attempt.run(name, {**parameters, "watermark": self.until}, window=self.mart.window_column)
