"""Statements and rows find the shards of their projects."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from api.ingest import erased as erased_items
from api.ingest.erased import ErasedItems
from errata.clock import EPOCH
from errata.warehouse import disk
from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.configuration import CLUSTER
from errata.warehouse.disk import AdmissionLimit, Bound, DiskFull, Space
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, record
from errata.warehouse.roles import Role
from errata.warehouse.shards import NoProjectNamed, Places, Shards
from errata.warehouse.topology import NotOfCluster, ShardsMissing, whole
from tests.builders import an_error_event
from tests.shards import OddAndEven, ShardedProcess, two_shards

EVENTS = "errata_raw.error_events"
COUNTED = (
    f"select project_id, count() as n from {EVENTS} where project_id in {{projects:Array(UInt32)}} "
    "group by project_id order by project_id"
)
ODD, EVEN = 7, 8


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShardedProcess]:
    running = two_shards(tmp_path_factory.mktemp("shards"))
    with closing(running.client(Role.ADMIN)) as admin:
        for shard in admin.shards():
            migrate(shard)
    yield running
    running.stop()


def client(process: ShardedProcess, places: Places = OddAndEven(), role: Role = Role.INGEST) -> Shards:
    return Shards(process.url(role), process.topology(), places, Warehouse)


@pytest.fixture(scope="module")
def ingest(process: ShardedProcess) -> Iterator[Shards]:
    with closing(client(process)) as found:
        found.insert_rows(EVENTS, [an_error_event(project_id=each) for each in (ODD, EVEN, EVEN)])
        yield found


def test_rows_are_stored_on_the_shards_of_their_projects(process: ShardedProcess, ingest: Shards) -> None:
    asked = {"projects": [ODD, EVEN]}
    stored = [member.client(Role.ADMIN).rows(COUNTED, asked) for member in process.members]
    assert stored == [[{"project_id": ODD, "n": 1}], [{"project_id": EVEN, "n": 2}]]


def test_a_statement_goes_to_the_shards_of_its_projects(ingest: Shards) -> None:
    both = [{"project_id": ODD, "n": 1}, {"project_id": EVEN, "n": 2}]
    assert ingest.rows(COUNTED, {"projects": [EVEN, ODD]}) == both
    assert ingest.rows(COUNTED, {"projects": [EVEN]}) == both[1:]
    assert ingest.columns(COUNTED, {"projects": [ODD, EVEN]}) == {"project_id": [ODD, EVEN], "n": [1, 2]}


@pytest.mark.parametrize("parameters", [None, {"projects": []}, {"since": 1}])
def test_a_statement_without_a_project_is_refused(
    ingest: Shards, parameters: dict[str, object] | None
) -> None:
    with pytest.raises(NoProjectNamed):
        ingest.rows("select 1", parameters)
    with pytest.raises(NoProjectNamed):
        ingest.execute("select 1", parameters)


def test_every_method_of_the_client_is_one_of_a_cluster_too() -> None:
    """One that was forgotten would look for connections that there are not."""
    inherited = {"cached", "timeout"}
    own = {name for name in vars(Warehouse) if not name.startswith("_")} - {"insert_from"}
    assert own - inherited <= set(vars(Shards))


class Held(OddAndEven):
    def is_held(self, project_id: int) -> bool:
        return project_id == EVEN


def test_nothing_is_written_of_a_project_that_is_held(process: ShardedProcess, ingest: Shards) -> None:
    with closing(client(process, Held())) as held:
        for rows in (
            [an_error_event(project_id=EVEN)],
            [an_error_event(project_id=each) for each in (ODD, EVEN)],
        ):
            with pytest.raises(WarehouseUnavailable, match="being moved") as refused:
                held.insert_rows(EVENTS, rows)
            assert not refused.value.is_away
        with pytest.raises(WarehouseUnavailable):
            held.execute("select 1", {"project_id": EVEN})
        assert held.rows(COUNTED, {"projects": [EVEN]}) == [{"project_id": EVEN, "n": 2}]
        held.execute("select 1", {"project_id": ODD})


def test_the_servers_say_which_shards_they_are_of(process: ShardedProcess) -> None:
    places = [f"127.0.0.1:{member.port}" for member in process.members]
    assert whole(process.url(Role.ADMIN), CLUSTER) == {1: (places[0],), 2: (places[1],)}
    assert process.topology().places() == {1: (places[0],), 2: (places[1],)}
    with pytest.raises(NotOfCluster, match="another"):
        whole(process.url(Role.ADMIN), "another")
    with pytest.raises(ShardsMissing, match="shard 2"):
        whole(process.members[0].url(Role.ADMIN), CLUSTER)


def test_a_full_disk_of_one_shard_refuses_its_projects_alone(
    ingest: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = ingest.of([EVEN])
    monkeypatch.setattr(disk, "space_of", lambda shard: Space(0 if shard is full else 10, 10))
    limit = AdmissionLimit(ingest, Bound(1, 0))
    limit.require_any()
    limit.require([ODD])
    assert limit.is_lacking()
    with pytest.raises(DiskFull):
        limit.require([ODD, EVEN])
    monkeypatch.setattr(disk, "space_of", lambda shard: Space(0, 10))
    with pytest.raises(DiskFull):
        AdmissionLimit(ingest, Bound(1, 0)).require_any()


def test_what_is_known_of_erasures_stays_while_a_shard_is_away(
    ingest: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased, asked_at = ErasedItems(ingest, lambda project_id: None), datetime.now(UTC)
    for project_id in (ODD, EVEN):
        asked = Erasure(project_id, uuid4(), Kind.PROJECT, "shop", "owner@example.org", asked_at)
        record(ingest, asked, Step.ASKED)
    erased.refresh()
    before = erased.before(EVEN)
    assert before > EPOCH

    def away(*_: object) -> list[object]:
        raise WarehouseUnavailable("shard 2", "no response")

    monkeypatch.setattr(erased_items, "LOOK_EVERY_SECONDS", 0)
    with monkeypatch.context() as outage:
        outage.setattr(ingest.of([EVEN]), "rows", away)
        erased.refresh()
        assert erased.before(EVEN) == before and erased.before(ODD) > EPOCH
        fresh = ErasedItems(ingest, lambda project_id: None)
        monkeypatch.setattr(erased_items, "LOOK_EVERY_SECONDS", 600)
        fresh.refresh()
    # Nothing waits for the next look once the shard is back.
    fresh.refresh()
    assert fresh.before(EVEN) == before


def test_others_are_reached_while_a_shard_is_away(tmp_path_factory: pytest.TempPathFactory) -> None:
    running = two_shards(tmp_path_factory.mktemp("away"))
    admin = running.client(Role.ADMIN)
    for shard in admin.shards():
        migrate(shard)
    with closing(client(running)) as ingest:
        assert ingest.reachable([ODD, EVEN]) == [ODD, EVEN]
        running.members[1].stop()
        with pytest.raises(WarehouseUnavailable):
            ingest.rows(COUNTED, {"projects": [EVEN]})
        assert ingest.reachable([ODD, EVEN]) == [ODD]
        assert ingest.rows(COUNTED, {"projects": [ODD]}) == []
        assert len(ingest.there()) == 1 and ingest.any() is ingest.there()[0]
        ingest.require()
        assert ingest.ping()
    # A process that starts meanwhile knows the shard that responds.
    with closing(Shards(running.url(Role.INGEST), running.topology(), OddAndEven(), Warehouse)) as later:
        assert later.rows(COUNTED, {"projects": [ODD]}) == []
        with pytest.raises(WarehouseUnavailable, match="shard 2"):
            later.rows(COUNTED, {"projects": [EVEN]})
    admin.close()
    running.stop()
