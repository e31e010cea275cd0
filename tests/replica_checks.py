"""What holds of two servers of a shard that replicate each other, as `tests.cluster_checks` of a cluster."""

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from errata.warehouse.client import WarehouseUnavailable
from tests.builders import an_error_event
from tests.cluster import Nodes, Project
from tests.cluster_checks import EVENTS, Sender, counted, held, project_id
from tests.waiting import wait_until

# Of a row that nothing holds up.
REPLICATED_WITHIN_SECONDS = 30
STOPPED_WITHIN_SECONDS = 90
CAUGHT_UP_WITHIN_SECONDS = 300
MEANWHILE = 20
# Nobody's: its rows count for no project.
STRANGER = 4_000_000_000
COUNT = f"select count() as row_count from {EVENTS} where item_id = {{item_id:UUID}}"
READ_ONLY = "select count() as table_count from system.replicas where is_readonly"

Act = Callable[[str], None]
"""Does something to the server at `host:port`."""


@dataclass(frozen=True)
class Replicas:
    """Two servers of a shard, in the order of the URLs: nodes ask the first while it responds."""

    nodes: Nodes
    first: str
    second: str

    def rows_reach_the_other(self) -> None:
        for one, other in ((self.first, self.second), (self.second, self.first)):
            item = uuid4()
            self._insert(one, item, "")
            within(
                REPLICATED_WITHIN_SECONDS,
                lambda other=other, item=item: self._count(other, item) == 1,  # type: ignore[misc]
                f"{other} hasn't a row that {one} has stored",
            )

    def a_repeated_insert_counts_once(self) -> None:
        """With the same token on the other server, as when the answer of the first was lost."""
        item, token = uuid4(), uuid4().hex
        self._insert(self.first, item, token)
        within(
            REPLICATED_WITHIN_SECONDS,
            lambda: self._count(self.second, item) >= 1,
            f"{self.second} hasn't a row that {self.first} has stored",
        )
        self._insert(self.second, item, token)
        self._insert(self.first, item, token)
        # Whether a second row follows shows once a later one has come.
        self.rows_reach_the_other()
        for place in (self.first, self.second):
            count = self._count(place, item)
            assert count == 1, f"{place} has the row {count} times"

    def outlive_a_stop(self, address: str, project: Project, stop: Act, start: Act) -> int:
        """Deliveries and pages go on while the first is stopped, and it has everything once it is back.
        Returns how many events were stored meanwhile."""
        with Sender(self.nodes, address, project) as sender:
            sender.wait_for(MEANWHILE)
            stop(self.first)
            try:
                within(
                    STOPPED_WITHIN_SECONDS,
                    lambda: not self._responds(self.first),
                    f"{self.first} still responds",
                )
                before = sender.stored_count
                sender.wait_for(before + MEANWHILE)
                missed = sender.stored_count - before
            finally:
                start(self.first)
            within(
                CAUGHT_UP_WITHIN_SECONDS,
                lambda: self._responds(self.first),
                f"{self.first} doesn't respond after its start",
            )
            sender.wait_for(sender.stored_count + MEANWHILE)
        self._have_caught_up(project, sender.stored)
        return missed

    def outlive_a_lost_keeper(self, address: str, project: Project, cut: Act, mend: Act) -> int:
        """A first server without its Keeper is passed over: deliveries are stored, and pages show them.
        Returns how many events were stored meanwhile."""
        already = counted(self.nodes, address, project)
        with Sender(self.nodes, address, project) as sender:
            sender.wait_for(MEANWHILE)
            cut(self.first)
            try:
                within(
                    STOPPED_WITHIN_SECONDS,
                    lambda: self._is_read_only(self.first),
                    f"no table of {self.first} is read-only: is it without Keeper?",
                )
                before = set(sender.stored)
                sender.wait_for(len(before) + MEANWHILE)
                missed = set(sender.stored) - before
                known = project_id(self.nodes, project)
                with closing(self.nodes.client(self.first)) as server:
                    has = held(server, known)
                assert not missed <= has, (
                    f"{self.first} has what was stored without it: is it without Keeper?"
                )
                wanted = already + len(before | missed)
                within(
                    REPLICATED_WITHIN_SECONDS,
                    lambda: counted(self.nodes, address, project) >= wanted,
                    f"pages don't show what is stored while {self.first} is without Keeper",
                )
            finally:
                mend(self.first)
            within(
                CAUGHT_UP_WITHIN_SECONDS,
                lambda: not self._is_read_only(self.first),
                f"{self.first} stays read-only",
            )
        self._have_caught_up(project, sender.stored)
        return len(missed)

    def _have_caught_up(self, project: Project, stored: set[str]) -> None:
        known = project_id(self.nodes, project)
        for place in (self.first, self.second):
            server = self.nodes.client(place)
            with suppress(AssertionError):
                wait_until(lambda server=server: stored <= held(server, known), CAUGHT_UP_WITHIN_SECONDS)  # type: ignore[misc]
            lost = stored - held(server, known)
            assert not lost, f"{place} lacks {len(lost)} of {len(stored)} events"
            server.close()

    def _insert(self, place: str, item: object, token: str) -> None:
        row = an_error_event(project_id=STRANGER, item_id=item, occurred_at=datetime.now(UTC))
        ingest = self.nodes.client(place, variable="ERRATA_WAREHOUSE_URL")
        ingest.insert_rows(EVENTS, [row], token)
        ingest.close()

    def _count(self, place: str, item: object) -> int:
        server = self.nodes.client(place)
        (row,) = server.rows(COUNT, {"item_id": item})
        server.close()
        return int(row["row_count"])

    def _responds(self, place: str) -> bool:
        with closing(self.nodes.client(place)) as server:
            return server.ping()

    def _is_read_only(self, place: str) -> bool:
        with closing(self.nodes.client(place)) as server, suppress(WarehouseUnavailable):
            return bool(server.rows(READ_ONLY)[0]["table_count"])
        return False


def within(seconds: float, holds: Callable[[], bool], otherwise: str) -> None:
    with suppress(AssertionError):
        wait_until(holds, seconds)
        return
    raise AssertionError(f"{otherwise} after {seconds:.0f} s")
