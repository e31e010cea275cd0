"""What the logs come to is stored by whoever appends to them, however many do at once."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from api.ingest.variants import Sighting, VariantRegistry
from errata.grouping import Variant, VariantShape
from errata.resolution.assignments import amiss, put_right, write_assignments
from errata.resolution.decisions import Decisions
from errata.warehouse.roles import Role
from errata.workflow.vocabulary import Word
from tests.builders import a_mapping, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess
from tests.warehouse_rows import insert_rows

ID = UUID(int=1)
VARIANT = Variant(1, VariantShape.from_json("{}"), "", "", "", "", 1)
MAPPINGS = "errata_raw.variant_issues"
ASSIGNED = "select variant_hash, issue_id, is_merged, is_placed from errata_read.issue_variants"
STATE = "select status, assignee from errata_read.issue_states where issue_id = 101"


def test_of_deciders_at_once_the_log_says_who_was_last(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, MAPPINGS, [a_mapping()])

    def decide(number: int) -> None:
        people = Decisions(warehouse.client(Role.INGEST), 7, f"{number}@example.org")
        for word in (Word.RESOLVE, Word.UNRESOLVE, Word.ASSIGN):
            people.decide(101, word, {"assignee": f"{number}@example.org"} if word is Word.ASSIGN else {})

    with ThreadPoolExecutor(4) as nodes:
        list(nodes.map(decide, range(4)))
    assert amiss(ingest) == {}


def test_of_ingest_nodes_and_people_at_once_the_log_says_where_a_variant_is(
    warehouse: WarehouseProcess,
) -> None:
    ingest = warehouse.client(Role.INGEST)

    def map_it(number: int) -> None:
        node = warehouse.client(Role.INGEST)
        insert_rows(node, MAPPINGS, [a_mapping(issue_id=100 + number, authority=number % 3)])
        write_assignments(node, [7], [1])

    with ThreadPoolExecutor(4) as nodes:
        list(nodes.map(map_it, range(12)))
    assert amiss(ingest) == {}


def test_a_writer_that_read_less_of_the_log_does_not_win_by_coming_late(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(ingest, MAPPINGS, [a_mapping(), a_mapping(issue_id=105, authority=2)])
    early = {"project_id": 7, "variant_hash": 1, "issue_id": 101, "own_issue_id": 101, "version": 1}
    insert_rows(ingest, "errata_raw.variant_assignments", [early])
    (row,) = read.rows(ASSIGNED, {"project_id": 7})
    assert (row["issue_id"], row["is_placed"]) == (105, True)


def test_a_variant_whose_issue_was_not_written_is_recorded_again(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert_rows(ingest, MAPPINGS, [a_mapping()])
    sighting = Sighting(VARIANT, {**an_error_event(), "item_id": str(ID)})

    def new_keys() -> set[tuple[int, int]]:
        registry = VariantRegistry(ingest)
        registry.learn({(7, 1)})
        return registry.rows_of_new([sighting])[1]

    assert new_keys() == {(7, 1)}
    VariantRegistry(ingest).assign({(7, 1)})
    assert new_keys() == set()


def test_what_a_process_left_behind_its_log_is_put_right(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(ingest, MAPPINGS, [a_mapping(), a_mapping(variant_hash=2, issue_id=102)])
    log = "errata_raw.issue_actions"
    insert_rows(ingest, log, [an_issue_action(detail='{"in":"now"}', action_id=str(ID))])
    insert_rows(
        ingest, log, [an_issue_action(issue_id=102, action="merge", target_issue_id=101, action_id=str(ID))]
    )
    assert amiss(ingest) == {7: 2}
    assert put_right(ingest) == {7: 2}
    assert amiss(ingest) == {}
    rows = {row["variant_hash"]: row for row in read.rows(ASSIGNED, {"project_id": 7})}
    assert {variant: row["issue_id"] for variant, row in rows.items()} == {1: 101, 2: 101}
    assert [row["is_merged"] for _, row in sorted(rows.items())] == [False, True]
    assert read.rows(STATE, {"project_id": 7}) == [{"status": "resolved", "assignee": ""}]
