"""A context with a real store, a channel's server that can be told what to answer, and rules that fired."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.context import Context
from api.settings import ApiSettings
from errata.outgoing import Outgoing, Policy
from errata.outgoing.policy import parsed_networks
from errata.state import Store
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import NewChannel
from errata.state.alerts.firings import Found
from errata.state.alerts.messages import Message
from errata.state.alerts.rule import Rule
from errata.state.alerts.rules import NewRule
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, SECRET, Prepared
from tests.errata.outgoing.servers import Asked, HttpServer, Reply, serving

LOOPBACK = Policy(parsed_networks("127.0.0.0/8, ::1"), allows_http=True)


@dataclass
class Clock:
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


class EndlessRun:
    """A run that nobody ends."""

    def goes_on(self) -> bool:
        return True

    def wake(self, name: str) -> None:
        pass


@dataclass
class Hooked:
    """A project with a webhook channel whose server answers as `reply` says."""

    context: Context
    store: Store
    clock: Clock
    server: HttpServer
    organization_id: int
    slug: str
    replies: list[Callable[[Asked], Reply]]

    def channel(self, **changes: Any) -> Channel:
        new = NewChannel("webhook", "Ops", {"url": f"{self.server.url}/hook"}, "whsec_" + "QUJD" * 10)
        return self.store.alerts.channels.create(
            self.organization_id,
            replace(new, **changes),
            actor="owner@example.org",
        )

    def rule(self, *channels: Channel, kind: str = "new", **condition: object) -> Rule:
        new = NewRule("Rule", kind, condition, channel_ids=[channel.id for channel in channels])
        return self.store.alerts.rules.create(self.organization_id, self.slug, new, actor="owner@example.org")

    def fire(self, rule: Rule, count: int, start: int = 0, value: int = 0) -> None:
        found = [
            Found(
                f"{number:016x}", "new", self.clock.now, value or number, f"ValueError: {number}", "shop.pay"
            )
            for number in range(start, start + count)
        ]
        assert self.store.alerts.firings.add(rule, found, self.clock.now) == count

    @property
    def log(self) -> list[Message]:
        project = self.store.projects.get(self.organization_id, self.slug)
        return self.store.alerts.messages.of_project(self.organization_id, project.id, limit=100)


@pytest.fixture
def hooked(prepared: Prepared, prepared_url: str) -> Iterator[Hooked]:
    clock = Clock()
    store = Store.open(prepared_url, SECRET, clock=clock)
    owner = store.keys.api.owner(prepared.account.api_key)
    assert owner is not None
    replies: list[Callable[[Asked], Reply]] = [lambda asked: Reply(200, {}, b"ok")]
    context = Context(
        ApiSettings(),
        store,
        Warehouse(NOWHERE),
        Warehouse(NOWHERE),
        "https://errata.example",
        {},
        Outgoing(LOOPBACK),
    )

    def reply(asked: Asked) -> Reply:
        return replies[-1](asked)

    with serving(reply) as server:
        yield Hooked(context, store, clock, server, owner.organization_id, prepared.account.project, replies)
    store.close()
