"""The services that endpoints work with: made once by create_app, handed to each request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from api.beginning import Beginning
from api.jobs.job import Job
from api.oidc.sign_in import SingleSignOn
from api.project_sql import ProjectSql
from api.rate_limit import RateLimit
from api.report_queue import ReportQueue
from api.settings import ApiSettings
from api.slots import Slots
from errata.alerts.mail import MailServer
from errata.backup.expected import NONE_EXPECTED, Expected
from errata.budgets.histories import Histories
from errata.outgoing import Outgoing
from errata.outgoing.policy import Network
from errata.state import Store
from errata.state.token_buckets import Limit
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import AdmissionLimit

Check = Callable[[], str]


SHARE_LINK_VISITS = Limit("share_link_visits", 60, 60)
# A replay of an hour has about 700.
SHARED_SEGMENTS = Limit("shared_segments", 1500, 60)
ONE_TIME_LINK_VISITS = Limit("one_time_link_visits", 30, 60)
FORGOTTEN_PASSWORDS = Limit("forgotten_passwords", 10, 600)
PROVIDER_SIGN_INS = Limit("provider_sign_ins", 30, 60)
PASSWORD_MAILS = Limit("password_mails", 3, 3600)


# Free space, as a multiple of what deliveries leave.
UPLOADS_LEAVE = 2


@dataclass(frozen=True)
class Context:
    """`warehouse` connects as the ingesting user, `read` as the reading one. `checks` are further components
    of /api/health, by name; each returns ok, starting, off or failing."""

    settings: ApiSettings
    state: Store
    warehouse: Warehouse
    read: Warehouse
    base_url: str
    checks: Mapping[str, Check] = field(default_factory=dict)
    # The one client for webhooks, mail servers and issue trackers.
    outgoing: Outgoing = field(default_factory=Outgoing)
    # The mail server of the whole service; None if each channel names its own.
    mail: MailServer | None = None
    # Sign-in by the provider; None without one.
    single_sign_on: SingleSignOn | None = None
    # Background jobs, run on this node or on another; empty if this node runs none.
    jobs: list[Job] = field(default_factory=list)
    histories: Histories = field(default_factory=Histories)
    # `credentials.json` of the service's data directory, if it has one.
    credentials_path: Path | None = None
    beginning: Beginning = field(default_factory=Beginning)
    # For ingest: a hanging question of a page must not keep deliveries waiting.
    disk_limit: AdmissionLimit = field(init=False)
    # Uploads must not take the space of deliveries.
    upload_disk_limit: AdmissionLimit = field(init=False)
    # Of visits from one address, so that no token can be guessed.
    share_link_rate: RateLimit = field(init=False)
    # Of segments of shared replays, from one address.
    shared_segment_rate: RateLimit = field(init=False)
    one_time_link_rate: RateLimit = field(init=False)
    forgotten_rate: RateLimit = field(init=False)
    # Of browsers sent to the provider, from one address.
    provider_rate: RateLimit = field(init=False)
    # Of mails to one person, whoever asks for them.
    password_mail_rate: RateLimit = field(init=False)
    # Apart from the endpoints' threads: hanging checks must not take those away.
    check_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(8))
    # A provider that hangs takes these threads alone.
    provider_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(8))
    # Deliveries do not wait for those threads either.
    ingest_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(8))
    # Nor do envelopes for either.
    door_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    # Reading an upload takes long: of two at once, others wait.
    upload_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(2))
    # A segment is in memory as a whole while parts of it are left out: one at once.
    segment_lock: Lock = field(default_factory=Lock)
    slots: Slots = field(default_factory=Slots)
    report_queue: ReportQueue = field(default_factory=ReportQueue)
    project_sql: ProjectSql = field(default_factory=lambda: ProjectSql(None))
    # The file in which `errata up` records restarts; None if it runs no components.
    restarts_path: Path | None = None
    backups: Expected = NONE_EXPECTED
    # Networks of the reverse proxies before this node.
    trusted_proxies: Sequence[Network] = ()

    def __post_init__(self) -> None:
        for name, limit in (
            ("share_link_rate", SHARE_LINK_VISITS),
            ("shared_segment_rate", SHARED_SEGMENTS),
            ("one_time_link_rate", ONE_TIME_LINK_VISITS),
            ("forgotten_rate", FORGOTTEN_PASSWORDS),
            ("provider_rate", PROVIDER_SIGN_INS),
            ("password_mail_rate", PASSWORD_MAILS),
        ):
            object.__setattr__(self, name, RateLimit(self.state.token_buckets, limit))
        bound = self.settings.disk_bound
        object.__setattr__(self, "disk_limit", AdmissionLimit(self.warehouse, bound))
        uploads = AdmissionLimit(self.warehouse, bound.times(UPLOADS_LEAVE))
        object.__setattr__(self, "upload_disk_limit", uploads)

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https://")


def context_of(request: Request) -> Context:
    context = request.app.state.context
    assert isinstance(context, Context)
    return context


ContextDependency = Annotated[Context, Depends(context_of)]
