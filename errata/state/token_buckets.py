"""Limits of rates over all nodes: a token bucket (the single one of RFC 2697) by limit and sender."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import String

from errata.errors import RateLimited
from errata.state.repository import Repository
from errata.state.table import Table


@dataclass(frozen=True, slots=True)
class Limit:
    """A bucket holds `most` tokens, and is filled evenly from empty to full in `seconds`."""

    name: str
    most: int
    seconds: float

    @property
    def per_second(self) -> float:
        return self.most / self.seconds


class TokenBucket(Table):
    """A full bucket needs no row."""

    __tablename__ = "token_buckets"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    subject_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    tokens: Mapped[float]
    counted_at: Mapped[datetime]
    full_at: Mapped[datetime] = mapped_column(index=True)


class TokenBuckets(Repository):
    def used(self, limit: Limit, subject: str) -> int:
        """The tokens taken that have not been filled again; more than `limit.most` after a larger batch."""
        query = select(TokenBucket.tokens, TokenBucket.counted_at).where(
            TokenBucket.name == limit.name, TokenBucket.subject_hash == self._hash(subject)
        )
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            now = self._database.clock_of(connection)
        if row is None:
            return 0
        filled = row.tokens + max(0.0, (now - row.counted_at).total_seconds()) * limit.per_second
        missing: int = math.ceil(limit.most - filled)
        return max(0, missing)

    def take(self, limit: Limit, subject: str, count: int, spare: int = 0) -> int:
        """Takes `count` tokens, and up to `spare` more if there are so many. Returns the number taken.

        A full bucket gives any number, so that a batch larger than the bucket is not refused for ever; it is
        then filled later. Raises RateLimited, and takes nothing, if too few are left.
        """
        # A subject may be a visitor's address, which is nobody's to read.
        key = {"name": limit.name, "subject_hash": self._hash(subject)}
        dialect = sqlite if self._database.is_sqlite else postgresql
        with self._database.writing() as connection:
            now = self._database.clock_of(connection)
            full = dialect.insert(TokenBucket).values(**key, tokens=limit.most, counted_at=now, full_at=now)
            # Changes nothing of a known bucket, but locks it.
            locked = full.on_conflict_do_update(
                index_elements=list(key), set_={"name": limit.name}
            ).returning(TokenBucket.tokens, TokenBucket.counted_at)
            tokens, counted_at = connection.execute(locked).one()
            if counted_at == now:
                connection.execute(delete(TokenBucket).where(TokenBucket.full_at < now))
            filled = tokens + max(0.0, (now - counted_at).total_seconds()) * limit.per_second
            tokens = min(filled, limit.most)
            if (missing := min(count, limit.most) - tokens) > 0:
                raise RateLimited(max(1, math.ceil(missing / limit.per_second)))
            taken: int = count + max(0, min(spare, math.floor(tokens - count)))
            left = tokens - taken
            connection.execute(
                update(TokenBucket)
                .filter_by(**key)
                .values(tokens=left, counted_at=now, full_at=_full_at(limit, left, now))
            )
        return taken


def _full_at(limit: Limit, tokens: float, now: datetime) -> datetime:
    return now + timedelta(seconds=(limit.most - tokens) / limit.per_second)
