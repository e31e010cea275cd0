"""Holds on background jobs, and the outcome of their runs: at most one node holds a job at a time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from errata.state.repository import Repository
from errata.state.tables import jobs

LONGEST_FAILURE = 200


@dataclass(frozen=True)
class JobState:
    """`ran_at` is the end of the last successful run; `failed_at` that of the last failed one."""

    name: str
    holder: str
    ran_at: datetime | None
    took_ms: int
    run_count: int
    failure_count: int
    failed_at: datetime | None
    failure: str


class Jobs(Repository):
    def hold(self, name: str, holder: str, seconds: float) -> bool:
        """Takes the job, or renews the hold on it; False while another node holds it."""
        with self._database.writing() as connection:
            now = self._database.clock_of(connection)
            until = now + timedelta(seconds=seconds)
            held = connection.execute(
                update(jobs)
                .where(jobs.c.name == name, or_(jobs.c.holder == holder, jobs.c.held_until <= now))
                .values(holder=holder, held_until=until)
            ).rowcount
            if held:
                return True
            dialect = sqlite if self._database.is_sqlite else postgresql
            first = dialect.insert(jobs).values(
                name=name,
                holder=holder,
                held_until=until,
                took_ms=0,
                run_count=0,
                failure_count=0,
                failure="",
            )
            return bool(connection.execute(first.on_conflict_do_nothing()).rowcount)

    def release(self, name: str, holder: str) -> None:
        """Releases the job, so that another node takes it at once."""
        with self._database.writing() as connection:
            connection.execute(
                update(jobs)
                .where(jobs.c.name == name, jobs.c.holder == holder)
                .values(held_until=self._database.clock_of(connection))
            )

    def note_run(self, name: str, took_ms: int, failure: str = "") -> None:
        """Records a run; `failure` is empty if it succeeded."""
        now = self._database.now()
        noted: dict[str, object] = {"took_ms": took_ms, "failure": failure[:LONGEST_FAILURE]}
        if failure:
            noted |= {"failed_at": now, "failure_count": jobs.c.failure_count + 1}
        else:
            noted |= {"ran_at": now, "run_count": jobs.c.run_count + 1}
        with self._database.writing() as connection:
            connection.execute(update(jobs).where(jobs.c.name == name).values(**noted))

    def states(self) -> list[JobState]:
        columns = [jobs.c[name] for name in JobState.__dataclass_fields__]
        with self._database.reading() as connection:
            return [JobState(*row) for row in connection.execute(select(*columns).order_by(jobs.c.name))]
