"""The limit of password guesses, by user and time window."""

from datetime import timedelta

from sqlalchemy import Connection, delete
from sqlalchemy.dialects import postgresql, sqlite

from errata.errors import RateLimited
from errata.state.repository import Repository
from errata.state.tables import sign_in_attempts

ATTEMPTS_A_WINDOW = 10
ATTEMPT_WINDOW = timedelta(minutes=5)


class SignInAttempts(Repository):
    def count(self, email: str) -> None:
        """Counts an attempt. Raises RateLimited.

        Called before the password is compared, so that simultaneous guesses do not exceed the limit.
        """
        now = self._database.now()
        dialect = sqlite if self._database.is_sqlite else postgresql
        attempt = dialect.insert(sign_in_attempts).values(
            email_hash=self._hash(email), window_ends_at=now + ATTEMPT_WINDOW, attempt_count=1
        )
        counted = attempt.on_conflict_do_update(
            index_elements=[sign_in_attempts.c.email_hash],
            set_={"attempt_count": sign_in_attempts.c.attempt_count + 1},
        ).returning(sign_in_attempts.c.attempt_count, sign_in_attempts.c.window_ends_at)
        with self._database.writing() as connection:
            connection.execute(delete(sign_in_attempts).where(sign_in_attempts.c.window_ends_at <= now))
            attempt_count, window_ends_at = connection.execute(counted).one()
        if attempt_count > ATTEMPTS_A_WINDOW:
            raise RateLimited(max(1, round((window_ends_at - now).total_seconds())))

    def forget(self, connection: Connection, email: str) -> None:
        own = sign_in_attempts.c.email_hash == self._hash(email)
        connection.execute(delete(sign_in_attempts).where(own))
