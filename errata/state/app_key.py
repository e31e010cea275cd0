"""The row of an application key."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, false
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table, unique_where


class AppKey(Table):
    """`service` is empty for the key of the whole project. A public key is in programs that anyone can read,
    such as pages: it sends to the service directly."""

    __tablename__ = "app_keys"
    __table_args__ = (
        unique_where(
            "replaced_at is null and revoked_at is null",
            "uq_app_keys_project_id_service_current",
            *("project_id", "service", "is_public"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    service: Mapped[str] = mapped_column(String(32))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True, repr=False)
    prefix: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    replaced_at: Mapped[datetime | None] = mapped_column(default=None)
    revoked_at: Mapped[datetime | None] = mapped_column(default=None)
    sealed_id: Mapped[str] = mapped_column(String(32), server_default="")
    is_public: Mapped[bool] = mapped_column(server_default=false())

    @property
    def is_viewable(self) -> bool:
        return bool(self.sealed_id) and self.revoked_at is None

    @property
    def state(self) -> str:
        if self.revoked_at is not None:
            return "revoked"
        return "current" if self.replaced_at is None else "replaced"


CURRENT = (AppKey.replaced_at.is_(None), AppKey.revoked_at.is_(None))
