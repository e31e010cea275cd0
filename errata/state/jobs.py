"""Holds on background jobs, and the outcome of their runs: at most one node holds a job at a time."""

from datetime import timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from errata.state.job import JobState
from errata.state.repository import Repository
from errata.state.table import objects

LONGEST_FAILURE = 200


class Jobs(Repository):
    def hold(self, name: str, holder: str, seconds: float) -> bool:
        """Takes the job, or renews the hold on it; False while another node holds it."""
        with self._database.writing() as connection:
            now = self._database.clock_of(connection)
            until = now + timedelta(seconds=seconds)
            held = connection.execute(
                update(JobState)
                .where(JobState.name == name, or_(JobState.holder == holder, JobState.held_until <= now))
                .values(holder=holder, held_until=until)
            ).rowcount
            if held:
                return True
            dialect = sqlite if self._database.is_sqlite else postgresql
            first = dialect.insert(JobState).values(name=name, holder=holder, held_until=until)
            return bool(connection.execute(first.on_conflict_do_nothing()).rowcount)

    def release(self, name: str, holder: str) -> None:
        """Releases the job, so that another node takes it at once."""
        with self._database.writing() as connection:
            connection.execute(
                update(JobState)
                .where(JobState.name == name, JobState.holder == holder)
                .values(held_until=self._database.clock_of(connection))
            )

    def note_run(self, name: str, took_ms: int, failure: str = "") -> None:
        """Records a run; `failure` is empty if it succeeded."""
        now = self._database.now()
        noted: dict[str, object] = {"took_ms": took_ms, "failure": failure[:LONGEST_FAILURE]}
        if failure:
            noted |= {"failed_at": now, "failure_count": JobState.failure_count + 1}
        else:
            noted |= {"ran_at": now, "run_count": JobState.run_count + 1}
        with self._database.writing() as connection:
            connection.execute(update(JobState).where(JobState.name == name).values(**noted))

    def states(self) -> list[JobState]:
        with self._database.reading() as connection:
            return objects(JobState, connection.execute(select(JobState).order_by(JobState.name)))
