"""What the endpoints work with: made once by create_app, handed to each request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from api.beginning import Beginning
from api.jobs.job import Job
from api.places import Places
from api.settings import ApiSettings
from errata.alerts.mail import MailServer
from errata.budgets.histories import Histories
from errata.outgoing import Outgoing
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import Room

Check = Callable[[], str]


@dataclass(frozen=True)
class Context:
    """`warehouse` connects as the one who ingests, `read` as the one who may only read.

    `checks` are further parts of /api/health, by name; each answers ok, starting, off or failing.
    """

    settings: ApiSettings
    state: Store
    warehouse: Warehouse
    read: Warehouse
    base_url: str
    checks: Mapping[str, Check] = field(default_factory=dict)
    # Webhooks, mail servers and issue trackers are reached through this alone.
    outgoing: Outgoing = field(default_factory=Outgoing)
    # The mail server of the whole service; None where each channel names its own.
    mail: MailServer | None = None
    # Background jobs, run on this node or on another; empty where this node runs none.
    jobs: list[Job] = field(default_factory=list)
    histories: Histories = field(default_factory=Histories)
    # `credentials.json` of the data directory that this service runs on, where it runs on one.
    credentials_path: Path | None = None
    beginning: Beginning = field(default_factory=Beginning)
    # Asked by those who store: a hanging question of a page must not keep deliveries waiting.
    room: Room = field(init=False)
    # Apart from the endpoints' threads: checks that hang must not take those away.
    check_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(8))
    # Nor do deliveries wait for those threads.
    ingest_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(8))
    places: Places = field(default_factory=Places)
    # Where `errata up` names the parts that it started again; None where it runs none.
    restarts_path: Path | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "room", Room(self.warehouse, self.settings.disk_bound))

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https://")


def context_of(request: Request) -> Context:
    context = request.app.state.context
    assert isinstance(context, Context)
    return context


ContextDependency = Annotated[Context, Depends(context_of)]
