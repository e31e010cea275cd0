"""The row of a one-time link."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, Dialect, ForeignKey, String, Text, TypeDecorator, update
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table

# In the column of an invitation that gives no project at all.
NO_PROJECT = "none"


class LinkKind(StrEnum):
    INVITATION = "invitation"
    PASSWORD = "password"


class ProjectIds(TypeDecorator[tuple[int, ...]]):
    """Ids separated by commas; all projects are an empty text, and None."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[int] | None, dialect: Dialect) -> str:
        return "" if value is None else ",".join(map(str, value)) or NO_PROJECT

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[int, ...] | None:
        if not value:
            return None
        return () if value == NO_PROJECT else tuple(int(each) for each in value.split(","))


class OneTimeLink(Table):
    """`role` and `project_ids` are those of an invitation; a password link has none. `ended_at`: used,
    revoked, or followed by a newer one. `has_account`: the person has a password already, and joins with
    it."""

    __tablename__ = "one_time_links"

    id: Mapped[int] = mapped_column(primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    kind: Mapped[LinkKind]
    email: Mapped[str] = mapped_column(String(320), index=True)
    role: Mapped[str] = mapped_column(String(16))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True, repr=False)
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None] = mapped_column(default=None)
    project_ids: Mapped[tuple[int, ...] | None] = mapped_column(ProjectIds, nullable=False, server_default="")
    organization: str = ""
    has_account: bool = False


def end_password_links(connection: Connection, email: str, now: datetime) -> None:
    """Ends open password links of the address: they are older than what was decided about its account."""
    open_ones = OneTimeLink.kind == LinkKind.PASSWORD, OneTimeLink.ended_at.is_(None)
    ended = update(OneTimeLink).where(OneTimeLink.email == email, *open_ones).values(ended_at=now)
    connection.execute(ended)
