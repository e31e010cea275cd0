"""The state store as the programs see it: one repository for each noun."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.state.accounts import Accounts
from errata.state.activity import ActivityLog
from errata.state.alerts.channels import AlertChannels
from errata.state.alerts.firings import AlertFirings
from errata.state.alerts.messages import AlertMessages
from errata.state.alerts.notices import AlertNotices
from errata.state.alerts.rules import AlertRules
from errata.state.allowed_origins import AllowedOrigins
from errata.state.annotations import Annotations
from errata.state.api_keys import ApiKeys
from errata.state.app_keys import AppKeys
from errata.state.authenticators import Authenticators
from errata.state.backup_runs import BackupRuns
from errata.state.budgets import Budgets
from errata.state.database import Clock, Database, utc_now
from errata.state.erasures import Erasures
from errata.state.grouping import GroupingConfigurations
from errata.state.half_sign_ins import HalfSignIns
from errata.state.heartbeats import Heartbeats
from errata.state.identities import Identities
from errata.state.inbound_filters import InboundFilters
from errata.state.ingest_limits import IngestLimits
from errata.state.integrations import Integrations
from errata.state.jobs import Jobs
from errata.state.locks import Locks
from errata.state.members import Members
from errata.state.monitors import DeclaredMonitors
from errata.state.notifications import Notifications
from errata.state.one_time_links import OneTimeLinks
from errata.state.passwords import Passwords
from errata.state.project_tokens import ProjectTokens
from errata.state.projects import Projects
from errata.state.provider_sign_ins import ProviderSignIns
from errata.state.reports.mails import ReportMails
from errata.state.reports.schedules import ReportSchedules
from errata.state.retention import ProjectRetention
from errata.state.saved_searches import SavedSearches
from errata.state.scrubbing import ProjectScrubbing
from errata.state.seal import Seal
from errata.state.sealed_secrets import SealedSecrets
from errata.state.second_step import SecondStep
from errata.state.sessions import Sessions
from errata.state.shards import ProjectShards
from errata.state.share_links import ShareLinks
from errata.state.sign_in_attempts import SignInAttempts
from errata.state.subscriptions import Subscriptions
from errata.state.token_buckets import TokenBuckets
from errata.state.tracker_links import TrackerLinks
from errata.state.trial_writes import TrialWrites
from errata.state.two_steps import TwoSteps
from errata.state.uptimes import Uptimes
from errata.state.users import Users

SHORTEST_SECRET_BYTES = 16


@dataclass(frozen=True)
class Keys:
    api: ApiKeys
    app: AppKeys


@dataclass(frozen=True)
class Alerts:
    rules: AlertRules
    firings: AlertFirings
    channels: AlertChannels
    notices: AlertNotices
    messages: AlertMessages


@dataclass(frozen=True)
class Reports:
    schedules: ReportSchedules
    mails: ReportMails


class Store:
    def __init__(self, database: Database, secret: bytes, previous: Sequence[bytes] = ()) -> None:
        self.database = database
        self._trial_writes = TrialWrites(database.try_write)
        base = (database, secret)
        self.activity = ActivityLog(*base)
        self.allowed_origins = AllowedOrigins(*base)
        self.annotations = Annotations(*base)
        self.backup_runs = BackupRuns(*base)
        self.budgets = Budgets(*base)
        self.grouping = GroupingConfigurations(*base)
        self.heartbeats = Heartbeats(*base)
        self.inbound_filters = InboundFilters(*base)
        self.jobs = Jobs(*base)
        self.ingest_limits = IngestLimits(*base)
        self.locks = Locks(*base)
        self.members = Members(*base)
        self.monitors = DeclaredMonitors(*base)
        self.notifications = Notifications(*base)
        self.reports = Reports(ReportSchedules(*base), ReportMails(*base))
        self.project_tokens = ProjectTokens(*base)
        self.retention = ProjectRetention(*base)
        self.saved_searches = SavedSearches(*base)
        self.scrubbing = ProjectScrubbing(*base)
        self.secrets = SealedSecrets(*base, Seal(secret, previous))
        self.keys = Keys(ApiKeys(*base, secrets=self.secrets), AppKeys(*base, secrets=self.secrets))
        self.shards = ProjectShards(*base)
        self.share_links = ShareLinks(*base)
        self.erasures = Erasures(*base, secrets=self.secrets)
        self.subscriptions = Subscriptions(*base)
        self.token_buckets = TokenBuckets(*base)
        self.uptimes = Uptimes(*base)
        self.users = Users(*base)
        self.alerts = Alerts(
            AlertRules(*base),
            AlertFirings(*base, notifications=self.notifications),
            AlertChannels(*base, secrets=self.secrets),
            AlertNotices(*base),
            AlertMessages(*base),
        )
        self.integrations = Integrations(*base, secrets=self.secrets)
        self.tracker_links = TrackerLinks(*base, integrations=self.integrations)
        attempts = SignInAttempts(*base)
        half_sign_ins = HalfSignIns(*base)
        self.authenticators = Authenticators(*base, secrets=self.secrets, attempts=attempts)
        self.sessions = Sessions(
            *base,
            users=self.users,
            attempts=attempts,
            authenticators=self.authenticators,
            half_sign_ins=half_sign_ins,
        )
        self.second_step = SecondStep(
            *base,
            users=self.users,
            sessions=self.sessions,
            authenticators=self.authenticators,
            half_sign_ins=half_sign_ins,
        )
        self.two_steps = TwoSteps(
            *base,
            users=self.users,
            sessions=self.sessions,
            authenticators=self.authenticators,
            secrets=self.secrets,
        )
        self.identities = Identities(*base, users=self.users, members=self.members, sessions=self.sessions)
        self.provider_sign_ins = ProviderSignIns(*base)
        self.one_time_links = OneTimeLinks(
            *base, users=self.users, members=self.members, sessions=self.sessions
        )
        self.passwords = Passwords(*base, users=self.users, members=self.members, sessions=self.sessions)
        self.projects = Projects(*base, app_keys=self.keys.app, grouping=self.grouping)
        self.accounts = Accounts(
            *base,
            users=self.users,
            members=self.members,
            api_keys=self.keys.api,
            projects=self.projects,
        )

    @classmethod
    def open(
        cls, url: str, secret: bytes, *, previous: Sequence[bytes] = (), clock: Clock = utc_now
    ) -> "Store":
        """Opens the store. `secret` keys every stored hash: with another one, all keys and sessions become
        unknown.

        It also seals tokens of other services; those sealed by one of `previous` can still be opened.
        """
        if len(secret) < SHORTEST_SECRET_BYTES:
            raise ValueError(f"the secret has {len(secret)} bytes; use at least {SHORTEST_SECRET_BYTES}")
        return cls(Database(url, clock), secret, previous)

    def now(self) -> datetime:
        """The store's clock, by which it keeps its moments."""
        return self.database.now()

    def migrate(self) -> None:
        self.database.migrate()
        # Keys are sealed with the secret, which no migration of the schema knows.
        self.keys.app.give_public_keys()

    def ping(self) -> None:
        """Raises StateUnavailable if the database does not respond or was never migrated."""
        self.database.ping()

    def require_writable(self) -> None:
        """Raises StateUnavailable if a write would fail, as found out in the last seconds."""
        self._trial_writes.require()

    def close(self) -> None:
        self.database.close()
