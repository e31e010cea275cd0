"""Share links: addresses that need no sign-in, with their contents, expiry and number of visits."""

from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, RowMapping, insert, select, update

from errata.state.activity_actions import Action
from errata.state.errors import ShareLinkNotFound
from errata.state.keys import RANDOM_LENGTH, SHOWN_LENGTH, generate_token
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import share_links


@dataclass(frozen=True)
class Shared:
    """The contents of a link: an issue, or a replay. `event_id` is empty for the issue; a range is half-open,
    and has both ends or none."""

    issue_id: str = ""
    event_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    with_user: bool = False
    with_values: bool = False
    replay_id: str = ""


@dataclass(frozen=True)
class ShareLink:
    """`prefix` is enough of its token to recognize it by."""

    id: int
    organization_id: int
    project_id: int
    shared: Shared
    prefix: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None
    last_opened_at: datetime | None
    opened_count: int

    def state(self, now: datetime) -> str:
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "open"


@dataclass(frozen=True)
class CreatedShareLink:
    """`token` is shown once and stored nowhere."""

    link: ShareLink
    token: str


class ShareLinks(Repository):
    def create(
        self,
        organization_id: int,
        project_id: int,
        shared: Shared,
        expires_at: datetime | None,
        *,
        actor: str,
    ) -> CreatedShareLink:
        token = generate_token()
        with self._database.writing() as connection:
            row = (
                connection.execute(
                    insert(share_links)
                    .values(
                        organization_id=organization_id,
                        project_id=project_id,
                        token_hash=self._hash(token),
                        prefix=token[:SHOWN_LENGTH],
                        issue_id=shared.issue_id,
                        event_id=shared.event_id,
                        since=shared.since,
                        until=shared.until,
                        with_user=shared.with_user,
                        with_values=shared.with_values,
                        replay_id=shared.replay_id,
                        created_at=self._database.now(),
                        created_by=actor,
                        expires_at=expires_at,
                        opened_count=0,
                    )
                    .returning(*share_links.c)
                )
                .mappings()
                .one()
            )
            link = _link(row)
            self._record(
                connection,
                organization_id,
                Action.SHARE_LINK_CREATED,
                actor=actor,
                subject=_subject(link),
                key_prefix=link.prefix,
            )
        return CreatedShareLink(link, token)

    def of_project(
        self, organization_id: int, project_id: int, issue_ids: list[str] | None = None, replay_id: str = ""
    ) -> list[ShareLink]:
        """The newest first, of the whole project, or of these issues, or of this replay."""
        query = (
            select(share_links)
            .where(share_links.c.organization_id == organization_id, share_links.c.project_id == project_id)
            .order_by(share_links.c.id.desc())
        )
        if issue_ids is not None:
            query = query.where(share_links.c.issue_id.in_(issue_ids))
        if replay_id:
            query = query.where(share_links.c.replay_id == replay_id)
        with self._database.reading() as connection:
            return [_link(row) for row in connection.execute(query).mappings()]

    def revoke(self, organization_id: int, project_id: int, link_id: int, *, actor: str) -> ShareLink:
        """Revokes the link, for good. A repetition changes nothing."""
        mine = (
            share_links.c.id == link_id,
            share_links.c.organization_id == organization_id,
            share_links.c.project_id == project_id,
        )
        with self._database.writing() as connection:
            revoked = connection.execute(
                update(share_links)
                .where(*mine, share_links.c.revoked_at.is_(None))
                .values(revoked_at=self._database.now())
            ).rowcount
            row = connection.execute(select(share_links).where(*mine)).mappings().one_or_none()
            if row is None:
                raise ShareLinkNotFound
            link = _link(row)
            if revoked:
                self._record(
                    connection,
                    organization_id,
                    Action.SHARE_LINK_REVOKED,
                    actor=actor,
                    subject=_subject(link),
                    key_prefix=link.prefix,
                )
        return link

    def open(self, token: str) -> ShareLink | None:
        """Opens the link and counts the visit, if it is valid. None as in `find`."""
        link, now = self.find(token), self._database.now()
        if link is not None and link.state(now) == "open":
            # May be skipped while the database is busy: nobody waits for a count.
            self._database.note(partial(_count, link_id=link.id, now=now))
        return link

    def find(self, token: str) -> ShareLink | None:
        """The link, also an expired or revoked one. None for an unknown token, and for a deleted project."""
        if len(token) != RANDOM_LENGTH or not token.isascii():
            return None
        query = (
            select(share_links)
            .join(ProjectRow, ProjectRow.id == share_links.c.project_id)
            .where(share_links.c.token_hash == self._hash(token), ProjectRow.deleted_at.is_(None))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return None if row is None else _link(row)


def _count(connection: Connection, link_id: int, now: datetime) -> None:
    connection.execute(
        update(share_links)
        .where(share_links.c.id == link_id)
        .values(last_opened_at=now, opened_count=share_links.c.opened_count + 1)
    )


def _subject(link: ShareLink) -> str:
    shared = link.shared
    if shared.replay_id:
        return f"replay {shared.replay_id}"
    return f"event {shared.event_id}" if shared.event_id else f"issue {shared.issue_id}"


def _link(row: RowMapping) -> ShareLink:
    shared = Shared(**{each.name: row[each.name] for each in fields(Shared)})
    names = (
        "id",
        "organization_id",
        "project_id",
        "prefix",
        "created_at",
        "created_by",
        "expires_at",
        "revoked_at",
        "last_opened_at",
        "opened_count",
    )
    return ShareLink(shared=shared, **{name: row[name] for name in names})
