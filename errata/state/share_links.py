"""Share links: addresses that need no sign-in, with their contents, expiry and number of visits."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import partial

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.activity_actions import Action
from errata.state.errors import ShareLinkNotFound
from errata.state.keys import RANDOM_LENGTH, SHOWN_LENGTH, generate_token
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, objects


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


class ShareLink(Table):
    """`prefix` is enough of its token to recognize it by."""

    __tablename__ = "share_links"

    id: Mapped[int] = mapped_column(primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True, repr=False)
    prefix: Mapped[str] = mapped_column(String(16))
    issue_id: Mapped[str] = mapped_column(String(16))
    event_id: Mapped[str] = mapped_column(String(32))
    since: Mapped[datetime | None] = mapped_column(default=None)
    until: Mapped[datetime | None] = mapped_column(default=None)
    with_user: Mapped[bool]
    with_values: Mapped[bool]
    replay_id: Mapped[str] = mapped_column(String(32), server_default="")
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    expires_at: Mapped[datetime | None] = mapped_column(default=None)
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)
    last_opened_at: Mapped[datetime | None] = mapped_column(default=None)
    opened_count: Mapped[int] = mapped_column(default=0)

    @property
    def shared(self) -> Shared:
        return Shared(**{each.name: getattr(self, each.name) for each in fields(Shared)})

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
            new = (
                insert(ShareLink)
                .values(
                    organization_id=organization_id,
                    project_id=project_id,
                    token_hash=self._hash(token),
                    prefix=token[:SHOWN_LENGTH],
                    created_at=self._database.now(),
                    created_by=actor,
                    expires_at=expires_at,
                    **asdict(shared),
                )
                .returning(ShareLink)
            )
            [link] = objects(ShareLink, connection.execute(new))
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
            select(ShareLink)
            .where(ShareLink.organization_id == organization_id, ShareLink.project_id == project_id)
            .order_by(ShareLink.id.desc())
        )
        if issue_ids is not None:
            query = query.where(ShareLink.issue_id.in_(issue_ids))
        if replay_id:
            query = query.where(ShareLink.replay_id == replay_id)
        with self._database.reading() as connection:
            return objects(ShareLink, connection.execute(query))

    def revoke(self, organization_id: int, project_id: int, link_id: int, *, actor: str) -> ShareLink:
        """Revokes the link, for good. A repetition changes nothing."""
        mine = (
            ShareLink.id == link_id,
            ShareLink.organization_id == organization_id,
            ShareLink.project_id == project_id,
        )
        with self._database.writing() as connection:
            revoked = connection.execute(
                update(ShareLink)
                .where(*mine, ShareLink.revoked_at.is_(None))
                .values(revoked_at=self._database.now())
            ).rowcount
            row = connection.execute(select(ShareLink).where(*mine)).one_or_none()
            if row is None:
                raise ShareLinkNotFound
            link = ShareLink(**row._mapping)
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
            select(ShareLink)
            .join(ProjectRow, ProjectRow.id == ShareLink.project_id)
            .where(ShareLink.token_hash == self._hash(token), ProjectRow.deleted_at.is_(None))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else ShareLink(**row._mapping)


def _count(connection: Connection, link_id: int, now: datetime) -> None:
    connection.execute(
        update(ShareLink)
        .where(ShareLink.id == link_id)
        .values(last_opened_at=now, opened_count=ShareLink.opened_count + 1)
    )


def _subject(link: ShareLink) -> str:
    shared = link.shared
    if shared.replay_id:
        return f"replay {shared.replay_id}"
    return f"event {shared.event_id}" if shared.event_id else f"issue {shared.issue_id}"
