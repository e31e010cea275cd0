"""What an attempt takes over from the mart as it is: what it has not built anew."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from errata.clock import utc
from errata.warehouse.builds.attempt import Attempt
from errata.warehouse.builds.mart import Mart, Partition
from errata.warehouse.builds.reading import WINDOWS_AN_INSERT
from errata.warehouse.builds.set_aside import Place

PARTITIONS_A_COPY = 20

UNEVEN_PARTITIONS = """
    select _partition_id as partition_id, max(filled.built_through) as built_through
    from errata_mart.{build:Identifier} as filled
    group by partition_id
    having uniqExact(filled.built_through) > 1
"""


@dataclass(frozen=True)
class CarryingOver:
    mart: Mart
    attempt: Attempt
    until: datetime

    def run(
        self,
        starts: Sequence[datetime],
        whole: set[datetime],
        missing: Collection[Place],
        recovered: Collection[Place],
    ) -> None:
        """Takes over clean windows, and in windows with these starts the projects that were not built.
        `whole`: windows built of all projects but those `missing`; of others only what `recovered` was."""
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
        if self.mart.source and self.mart.partition is Partition.DAY:
            self._level(
                sorted(set(map(self.mart.partition_id, built))), any(projects for _, projects in groups)
            )

    def _clean_windows(self, starts: Sequence[datetime]) -> None:
        by_partition = groupby(starts, self.mart.partition_id)
        windows = {partition_id: list(same) for partition_id, same in by_partition}
        partitions = list(windows)
        for number in range(0, len(partitions), PARTITIONS_A_COPY):
            some = partitions[number : number + PARTITIONS_A_COPY]
            told = {
                "partitions": some,
                "windows": [start for partition_id in some for start in windows[partition_id]],
                "watermark": self.until,
            }
            self.attempt.run("copy_clean_windows", told, column=self.mart.column)

    def _projects(self, starts: Sequence[datetime], projects: Iterable[int], are_others: bool) -> None:
        for number in range(0, len(starts), WINDOWS_AN_INSERT):
            some = starts[number : number + WINDOWS_AN_INSERT]
            told = {
                "partitions": sorted(set(map(self.mart.partition_id, some))),
                "windows": some,
                "projects": sorted(projects),
                "are_others": are_others,
                "watermark": self.until,
            }
            self.attempt.run("copy_projects", told, window=self.mart.window_column)

    def _level(self, recovered: Sequence[str], is_mixed: bool) -> None:
        """One moment for all rows of a partition. What recovered is as new as the build, or what is made of
        it would not be built again; days of a source that some have no rows of are not as new to all."""
        for partition_id in recovered:
            told = {"built_through": self.until}
            self.attempt.run("level_partition", told, partition_id=partition_id)
        if is_mixed:
            for row in self.attempt.rows(UNEVEN_PARTITIONS, {"build": self.attempt.build}):
                told = {"built_through": utc(row["built_through"])}
                self.attempt.run("level_partition", told, partition_id=row["partition_id"])
