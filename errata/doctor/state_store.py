"""The state store, and in it the heartbeats of the pipelines of each host."""

from collections.abc import Iterator
from dataclasses import dataclass

from errata.backup.expected import NONE_EXPECTED, Expected
from errata.doctor import backups
from errata.doctor.finding import Finding
from errata.errors import ErrataError
from errata.reports import formats
from errata.state.database import Database
from errata.state.errors import StateMissing, StateTooNew, StateUnavailable
from errata.state.heartbeats import FORGOTTEN_AFTER, Heartbeat, Heartbeats
from errata.up.data_directory import DataIncomplete


@dataclass(frozen=True)
class StateStore:
    """`subject` names it; `migrate` is the remedy if it is of an older version, empty where the next start
    migrates it. Pipelines are expected to run on some host, except for `idle_host`."""

    subject: str
    url: str
    migrate: str
    has_pipelines: bool = True
    idle_host: str = ""
    backups: Expected = NONE_EXPECTED

    def findings(self) -> Iterator[Finding]:
        try:
            database = Database(self.url, is_read_only=True)
            if database.file is not None and not database.file.exists():
                remedy = self.migrate or StateMissing.remedy
                yield Finding(self.subject, f"{database.file} does not exist", remedy)
                return
            yield from self._of(database)
            database.close()
        except StateTooNew as error:
            yield Finding(self.subject, str(error), "Install that version on this host")
        except StateUnavailable as error:
            remedy = f"{error.remedy}, or correct {self.subject}" if self.migrate else error.remedy
            yield Finding(self.subject, f"{error.said}: {error.reason}", remedy)
        except DataIncomplete as error:
            yield Finding(self.subject, error.said, error.remedy)
        except ErrataError as error:
            yield Finding(self.subject, str(error), f"Correct {self.subject}")

    def _of(self, database: Database) -> Iterator[Finding]:
        if pending := database.pending():
            said = f"lacks {formats.plural(len(pending), 'migration')} of this version"
            by_itself = "" if self.migrate else "; they are applied at the next start"
            yield Finding(self.subject, said + by_itself, self.migrate)
            return
        database.require_sound()
        yield Finding(self.subject, "is up to date")
        heartbeats = Heartbeats(database, b"").all()
        for heartbeat in heartbeats:
            yield self._of_host(heartbeat, database)
        if not heartbeats:
            yield self._without_hosts()
        yield from backups.findings(database, self.backups)

    def _of_host(self, heartbeat: Heartbeat, database: Database) -> Finding:
        host, now = heartbeat.host, database.now()
        alive, built = (formats.relative(at, now) for at in (heartbeat.alive_at, heartbeat.built_at))
        remedy = ""
        if self.has_pipelines and host != self.idle_host:
            remedy = _remedy(host, is_alive=heartbeat.is_alive(now), is_building=heartbeat.is_building(now))
        return Finding("pipelines", f"{host}: last alive {alive}, last build {built}", remedy)

    def _without_hosts(self) -> Finding:
        is_wrong = self.has_pipelines and not self.idle_host
        return Finding(
            "pipelines",
            f"no host has run them in the last {FORGOTTEN_AFTER.days} days",
            "Start `python -m pipelines` on a host, with ERRATA_STATE_URL set" if is_wrong else "",
        )


def _remedy(host: str, *, is_alive: bool, is_building: bool) -> str:
    if is_building:
        return ""
    if is_alive:
        return f"Check the pipelines' log on {host}, and its runs in Dagster"
    days = FORGOTTEN_AFTER.days
    return f"Start the pipelines on {host} again; a host that is gone is removed here after {days} days"
