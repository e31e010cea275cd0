"""The row of a channel of alerts."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Json, Table


class Channel(Table):
    """The secret is a password, a signing key, or an address that is secret itself. `secret_ending` is the
    only part of it that may be shown."""

    __tablename__ = "alert_channels"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(100))
    settings: Mapped[Mapping[str, Any]] = mapped_column(Json)
    secret_id: Mapped[str] = mapped_column(String(32))
    hourly_limit: Mapped[int]
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    secret_ending: str = ""
