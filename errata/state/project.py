"""The row of a project."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table, unique_where


class ProjectRow(Table):
    """A deleted project keeps its row, so that its id is never used again: rows in the warehouse carry it.
    `shard`: of the warehouse, where its rows are. `left_shard`: has them still, after a move at `moved_at`
    that nobody has confirmed. `held_at`: since when nothing is written, for the last moments of a move."""

    __tablename__ = "projects"
    __table_args__ = (
        unique_where("deleted_at is null", "uq_projects_organization_id_slug", "organization_id", "slug"),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    slug: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200))
    platform: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    shard: Mapped[int] = mapped_column(Integer, server_default="1", default=1)
    left_shard: Mapped[int | None] = mapped_column(default=None)
    moved_at: Mapped[datetime | None] = mapped_column(default=None)
    held_at: Mapped[datetime | None] = mapped_column(default=None)
