"""Organizations: everything else belongs to one of them."""

from datetime import datetime

from sqlalchemy import String, false
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table


class Organization(Table):
    __tablename__ = "organizations"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]
    requires_two_steps: Mapped[bool] = mapped_column(default=False, server_default=false())
