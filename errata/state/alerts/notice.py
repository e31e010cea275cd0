"""The row of a notice."""

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table


class NoticeRow(Table):
    """A notice of a firing for a channel; in no message yet while `message_id` is empty."""

    __tablename__ = "alert_notices"

    firing_id: Mapped[str] = mapped_column(ForeignKey("alert_firings.id"), primary_key=True)
    channel_id: Mapped[str] = mapped_column(ForeignKey("alert_channels.id"), primary_key=True)
    message_id: Mapped[str] = mapped_column(String(32), index=True)
