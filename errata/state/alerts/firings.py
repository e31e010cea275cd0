"""Firings of alert rules: one an episode, however many nodes find it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import blake2b
from uuid import uuid4

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, Index, UniqueConstraint
from sqlalchemy.types import BigInteger, String

from errata.budgets.state import State
from errata.monitors.turns import LastTold, Outcome
from errata.state.alerts.channel import Channel
from errata.state.alerts.notice import NoticeRow
from errata.state.alerts.rule import Rule
from errata.state.database import Database
from errata.state.notifications import Kind, NewNotification, Notifications
from errata.state.repository import Repository
from errata.state.table import Table
from errata.state.users import normalized_email

# Below every database's limit of parameters in one statement.
ISSUES_A_READ = 500
LONGEST_TEXT = 300


class Firing(Table):
    """An episode fires once, even if two nodes run; `issue_id` is empty for all issues together, and
    `monitor_slug` unless a monitor's rule fired."""

    __tablename__ = "alert_firings"
    __table_args__ = (
        UniqueConstraint("rule_id", "issue_id", "episode"),
        Index("ix_alert_firings_rule_id_fired_at", "rule_id", "fired_at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    rule_id: Mapped[str] = mapped_column(ForeignKey("alert_rules.id"))
    issue_id: Mapped[str] = mapped_column(String(16))
    episode: Mapped[str] = mapped_column(String(64))
    fired_at: Mapped[datetime]
    found_at: Mapped[datetime]
    value: Mapped[int] = mapped_column(BigInteger)
    title: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    culprit: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    outcome: Mapped[str] = mapped_column(String(16), server_default="")
    measured: Mapped[float | None] = mapped_column(default=None)
    monitor_slug: Mapped[str] = mapped_column(String(50), server_default="")
    environment: Mapped[str] = mapped_column(String(64), server_default="")


def monitor_id(slug: str, environment: str) -> str:
    """As long as the id of an issue."""
    return blake2b(f"{slug}/{environment}".encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Found:
    """One episode that a rule found; `issue_id` is empty for all issues together, or for no issue.

    For a budget `outcome` is the direction of the crossing, `measured` the figure, `value` its samples. For a
    monitor in an environment `outcome` is its turn, `value` its failed runs in a row.
    """

    issue_id: str
    episode: str
    fired_at: datetime
    value: int = 0
    title: str = ""
    culprit: str = ""
    outcome: str = ""
    measured: float | None = None
    monitor_slug: str = ""
    environment: str = ""

    @property
    def subject_id(self) -> str:
        """Of the issue, or of the monitor in its environment; empty: neither."""
        return monitor_id(self.monitor_slug, self.environment) if self.monitor_slug else self.issue_id


# More firings of one evaluation are told together.
MOST_SINGLE = 3
OUTCOMES = {
    State.BREACHED.value: Kind.BUDGET_BREACHED,
    State.KEPT.value: Kind.BUDGET_RECOVERED,
    Outcome.FAILING.value: Kind.MONITOR_FAILING,
    Outcome.MISSED.value: Kind.MONITOR_MISSED,
    Outcome.RECOVERED.value: Kind.MONITOR_RECOVERED,
}


class AlertFirings(Repository):
    def __init__(self, database: Database, secret: bytes, notifications: Notifications) -> None:
        super().__init__(database, secret)
        self._notifications = notifications

    def latest(self, rule_id: str, issues: Sequence[str], since: datetime) -> dict[str, datetime]:
        """The last firing of the rule for each of these issues, since `since`."""
        found: dict[str, datetime] = {}
        with self._database.reading() as connection:
            for start in range(0, len(issues), ISSUES_A_READ):
                query = (
                    select(Firing.issue_id, func.max(Firing.fired_at))
                    .where(
                        Firing.rule_id == rule_id,
                        Firing.fired_at >= since,
                        Firing.issue_id.in_(issues[start : start + ISSUES_A_READ]),
                    )
                    .group_by(Firing.issue_id)
                )
                found |= {row[0]: row[1] for row in connection.execute(query)}
        return found

    def last_outcome(self, rule_id: str, since: datetime) -> tuple[datetime, str] | None:
        """The last firing of a budget's rule after `since`, and its outcome."""
        query = (
            select(Firing.fired_at, Firing.outcome)
            .where(Firing.rule_id == rule_id, Firing.fired_at > since)
            .order_by(Firing.fired_at.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.fired_at, row.outcome)

    def last_turns(self, rule_id: str, since: datetime) -> dict[tuple[str, str], LastTold]:
        """By monitor and environment the turn that a monitor's rule fired for last, after `since`."""
        query = (
            select(Firing.monitor_slug, Firing.environment, Firing.fired_at, Firing.outcome)
            .where(Firing.rule_id == rule_id, Firing.fired_at > since)
            .order_by(Firing.found_at, Firing.fired_at)
        )
        with self._database.reading() as connection:
            return {
                (slug, where): LastTold(at, outcome) for slug, where, at, outcome in connection.execute(query)
            }

    def known_episodes(self, rule_id: str, episodes: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Episodes of these issues for which the rule has fired."""
        wanted, known = set(episodes), set[tuple[str, str]]()
        issues = sorted({issue_id for issue_id, _episode in episodes})
        with self._database.reading() as connection:
            for start in range(0, len(issues), ISSUES_A_READ):
                query = select(Firing.issue_id, Firing.episode).where(
                    Firing.rule_id == rule_id,
                    Firing.issue_id.in_(issues[start : start + ISSUES_A_READ]),
                )
                known |= {(issue_id, episode) for issue_id, episode in connection.execute(query)}
        return known & wanted

    def add(self, rule: Rule, found: Sequence[Found], evaluated_until: datetime) -> int:
        """Adds all firings in one transaction and returns their count; none if another node was faster."""
        now = self._database.now()
        try:
            with self._database.writing() as connection:
                for each in found:
                    firing_id = uuid4().hex
                    told = {"title": each.title[:LONGEST_TEXT], "culprit": each.culprit[:LONGEST_TEXT]}
                    values = {**asdict(each), **told, "rule_id": rule.id, "found_at": now}
                    connection.execute(insert(Firing).values(id=firing_id, **values))
                    for channel_id in rule.channel_ids:
                        connection.execute(
                            insert(NoticeRow).values(
                                firing_id=firing_id, channel_id=channel_id, message_id=""
                            )
                        )
                self._notify(connection, rule, found)
                connection.execute(
                    update(Rule)
                    .where(Rule.id == rule.id, Rule.evaluated_until < evaluated_until)
                    .values(evaluated_until=evaluated_until, failure="")
                )
        except IntegrityError:
            return 0
        return len(found)

    def _notify(self, connection: Connection, rule: Rule, found: Sequence[Found]) -> None:
        """Notifies whoever made the rule and whom it mails. Many firings are told in one notification."""
        if not found:
            return
        people = {rule.created_by, *_mailed(connection, rule.channel_ids)}
        self._notifications.write(
            connection, [new for email in sorted(people) for new in _told(rule, found, email)]
        )


def _told(rule: Rule, found: Sequence[Found], email: str) -> Iterator[NewNotification]:
    for each in found if len(found) <= MOST_SINGLE else ():
        yield NewNotification(
            email,
            rule.project_id,
            OUTCOMES.get(each.outcome, Kind.ALERT),
            f"alert/{rule.id}/{each.subject_id}/{each.outcome}",
            each.fired_at,
            each.issue_id,
            rule.id,
            title=each.title,
            detail=rule.name,
        )
    if len(found) > MOST_SINGLE:
        last = max(found, key=lambda each: each.fired_at)
        yield NewNotification(
            email,
            rule.project_id,
            OUTCOMES.get(last.outcome, Kind.ALERT),
            f"alert/{rule.id}",
            last.fired_at,
            rule_id=rule.id,
            count=len(found),
            detail=rule.name,
        )


def _mailed(connection: Connection, channel_ids: Sequence[str]) -> Iterator[str]:
    """The addresses of the mail channels, as accounts have theirs."""
    query = select(Channel.settings).where(
        Channel.id.in_(channel_ids),
        Channel.kind == "email",
        Channel.deleted_at.is_(None),
    )
    for settings in connection.execute(query).scalars():
        yield from map(normalized_email, settings["to"])
