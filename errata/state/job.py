"""The row of a background job."""

from datetime import datetime

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table


class JobState(Table):
    """The present holder of a job, and the outcome of its runs: `ran_at` is the end of the last successful
    one, `failed_at` that of the last failed one."""

    __tablename__ = "jobs"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    holder: Mapped[str] = mapped_column(String(100))
    held_until: Mapped[datetime]
    ran_at: Mapped[datetime | None] = mapped_column(default=None)
    took_ms: Mapped[int] = mapped_column(default=0)
    run_count: Mapped[int] = mapped_column(BigInteger, default=0)
    failure_count: Mapped[int] = mapped_column(BigInteger, default=0)
    failed_at: Mapped[datetime | None] = mapped_column(default=None)
    failure: Mapped[str] = mapped_column(String(200), default="")
