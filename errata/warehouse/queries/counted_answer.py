"""A page of the issue list by counting what matches anew: exact in every case, and slower."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from string import Template
from typing import Any

from errata.warehouse import sql
from errata.warehouse.client import Row
from errata.warehouse.conditions import piece
from errata.warehouse.queries.answer import Answer
from errata.warehouse.queries.deletions import kept_statement
from errata.warehouse.queries.since_build import movement
from errata.warehouse.queries.variant_counts import counted_rows_of


class CountedAnswer(Answer):
    """What issues are is known from the build; what they count is not."""

    @cached_property
    def _page(self) -> list[Row]:
        asked, period = self.asked, self.asked.period
        parameters = {
            **asked.scope,
            **self.since.moments,
            **movement(self.since.moved),
            **self._narrowed,
            "releases": [asked.release] if asked.release else [],
            "apart_issue_ids": sorted(self.since.apart_issue_ids),
            **_none_empty(self._came.parameters(sorted(self.since.came))),
            "bucket_seconds": int(period.bucket.total_seconds()),
            "bucket_count": len(period.bucket_starts),
        }
        meaning, pieces = asked.meaning, asked.meaning.pieces
        counted = (
            piece("counted_events", event_condition=pieces["event_condition"])
            if meaning.reads_events
            else piece("counted_days", count_condition=pieces["count_condition"])
        )
        statement = Template(sql.query("issues_of_counts")).substitute(
            counted=counted, issue_condition=pieces["issue_condition"]
        )
        if meaning.reads_events:
            return self.warehouse.rows(
                kept_statement(self.warehouse, [asked.project_id], statement), parameters
            )
        return counted_rows_of(
            self.warehouse,
            statement,
            [asked.project_id],
            {**parameters, "by_hour": period.by_hour},
        )


def _none_empty(parameters: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [*values, [] if name == "came_users" else 0] for name, values in parameters.items()}
