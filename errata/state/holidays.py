"""Days that projects annotated as holidays, for the pipelines."""

from collections.abc import Mapping
from datetime import UTC, date, timedelta

from sqlalchemy import func, select

from errata.state.annotations import Annotation
from errata.state.database import Database

DAY, MOMENT = timedelta(days=1), timedelta(microseconds=1)


def holidays(database: Database) -> Mapping[int, set[date]]:
    """By project, the UTC days that a span whose text has the word holiday, or holidays, has a part of."""
    with database.reading() as connection:
        rows = connection.execute(
            select(Annotation.project_id, Annotation.at, Annotation.until).where(
                Annotation.until.is_not(None), func.lower(Annotation.text).like("%holiday%")
            )
        ).all()
    found: dict[int, set[date]] = {}
    for project_id, at, until in rows:
        first, last = at.astimezone(UTC).date(), (until - MOMENT).astimezone(UTC).date()
        found.setdefault(project_id, set()).update(
            first + number * DAY for number in range((last - first).days + 1)
        )
    return found
