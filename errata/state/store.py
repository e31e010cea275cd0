"""The state store as the programs see it."""

from collections.abc import Sequence
from datetime import datetime

from errata.state.accounts import Accounts
from errata.state.activity import ActivityLog
from errata.state.alerts.channels import AlertChannels
from errata.state.alerts.messages import AlertMessages
from errata.state.alerts.rules import AlertRules
from errata.state.budgets import Budgets
from errata.state.database import Clock, Database, utc_now
from errata.state.duties import Duties
from errata.state.integrations import Integrations
from errata.state.report_mails import ReportMails
from errata.state.report_schedules import ReportSchedules
from errata.state.saved_searches import SavedSearches
from errata.state.share_links import ShareLinks
from errata.state.turns import Turns

SHORTEST_SECRET_BYTES = 16


class Store(
    Accounts,
    ActivityLog,
    Turns,
    Duties,
    AlertChannels,
    AlertRules,
    AlertMessages,
    ShareLinks,
    SavedSearches,
    Integrations,
    Budgets,
    ReportSchedules,
    ReportMails,
):
    @classmethod
    def open(
        cls, url: str, secret: bytes, *, previous: Sequence[bytes] = (), clock: Clock = utc_now
    ) -> "Store":
        """`secret` keys every stored hash: with another one, no key and no session is known any more.

        It seals tokens of other services too; those that one of `previous` sealed can still be opened.
        """
        if len(secret) < SHORTEST_SECRET_BYTES:
            raise ValueError(f"the secret has {len(secret)} bytes; use at least {SHORTEST_SECRET_BYTES}")
        return cls(Database(url, clock), secret, previous)

    def now(self) -> datetime:
        """The store's clock, by which it keeps its moments."""
        return self._database.now()

    def migrate(self) -> None:
        self._database.migrate()

    def ping(self) -> None:
        """Raises StateUnavailable when the database cannot answer or was never migrated."""
        self._database.ping()

    def close(self) -> None:
        self._database.close()
