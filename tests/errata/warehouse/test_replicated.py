"""What can be known of a replicated pair without one: the engine we run has no replicas that talk to each
other."""

import re

from errata.warehouse import sql
from errata.warehouse.migrations import replicated
from errata.warehouse.pair import DATABASES, Member, difference, differing_table
from errata.warehouse.roles import Role
from tests.cases import each
from tests.processes import WarehouseProcess

PATH = "/clickhouse/databases/errata_raw"


def a_member(place: str, **changed: object) -> Member:
    database = {"engine": "Replicated", "path": PATH, "replica": place, "replica_count": 2, **changed}
    return Member(place, {"errata_raw": database}, {"errata_raw.outcomes": "one"})


def test_the_five_databases_are_those_of_the_bootstrap() -> None:
    assert set(DATABASES) == {"errata_raw", "errata_mart", "errata_ops", "errata_read", "errata_analysis"}


def test_databases_at_one_path_of_one_keeper_are_the_same() -> None:
    first, second = a_member("one"), a_member("two")
    assert difference(first, second) is None and differing_table(first, second) is None
    assert difference(first, Member("two", {}, {})) is None


@each(
    ("changed", "reason"),
    [
        ({"engine": "Atomic"}, "errata_raw on two has the engine Atomic, not Replicated"),
        ({"path": "/other"}, f"errata_raw is replicated at {PATH} on one and at /other on two"),
        ({"replica": "one"}, "errata_raw has the replica one on both"),
        ({"replica_count": 1}, "errata_raw knows of one replica only, so each has a Keeper of its own"),
    ],
)
def test_what_makes_two_servers_no_pair_is_told(changed: dict[str, object], reason: str) -> None:
    assert difference(a_member("one"), a_member("two", **changed)) == reason


def test_a_table_that_each_created_on_its_own_is_told() -> None:
    second = Member("two", a_member("two").databases, {"errata_raw.outcomes": "another"})
    assert differing_table(a_member("one"), second) == "errata_raw.outcomes is not the same table on both"


def test_every_table_of_ours_has_a_replicated_engine_that_the_server_can_read(
    warehouse: WarehouseProcess,
) -> None:
    admin = warehouse.client(Role.ADMIN)
    files = (sql.parse(sql.DIRECTORY / "bootstrap.sql"), *sql.migrations(), *sql.models())
    created = [one for file in files for one in file.statements if one.startswith("create table")]
    assert len(created) > 45
    for statement in created:
        changed = replicated(statement)
        assert changed.count("\nengine = Replicated") == 1 and statement.count("MergeTree") == 1
        read = admin.rows("select formatQuery({statement:String}) as text", {"statement": changed})
        assert re.search(r"\nENGINE = Replicated(Replacing)?MergeTree", read[0]["text"])
    admin.close()
