"""Merge, split, regroup, roll back, new events, in any order: no event is lost or in two issues.

The real warehouse, state store and ingest beside a model of a few dictionaries.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from api.ingest.variants import Sighting, VariantRegistry
from api.membership import Membership
from api.regrouping import Regroupings
from errata.errors import InvalidParameter
from errata.grouping import Variant, VariantShape, fingerprint_of, issue_id_of
from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.grouping.regrouping import Placement, mapping
from errata.grouping.shape import ExceptionShape, FrameShape, variant_hash_of
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.membership import decided_merges, differences, told_apart
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store as store_rows

RULES = (
    "",
    "type:A -> every-a",
    "module:m0 -> m0\nmodule:m1 -> {{ default }}, m1",
    "type:* -> one",
    "function:f0 -> f0 {{ type }}",
)


def shape_of(number: int) -> VariantShape:
    """Of 18: three types, two modules, three functions; two lines of source make two variants of each."""
    frame = FrameShape(module=f"m{number % 2}", function=f"f{number // 2 % 3}", in_app=True)
    return VariantShape(
        platform="python",
        exceptions=(ExceptionShape(type="ABC"[number // 6 % 3], frames=(frame,), line="x = 1"),),
        template=f"said {number // 18}",
    )


SHAPES = {variant_hash_of(shape_of(number)): shape_of(number) for number in range(36)}


class Model:
    """What must be so, without any SQL."""

    def __init__(self, project_id: int) -> None:
        self.project_id = project_id
        self.configurations = {1: GroupingConfiguration()}
        self.active = 1
        self.mapped: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.latest: dict[int, int] = {}
        self.placed: dict[int, int] = {}
        self.parents: dict[int, int] = {}
        self.joined: set[int] = set()
        self.by_people: set[int] = set()
        self.apart: list[tuple[int, int]] = []
        self.events: defaultdict[int, int] = defaultdict(int)

    def own(self, variant: int) -> int:
        mapped = self.mapped[self.active].get(variant, self.latest[variant])
        return self.placed.get(variant, mapped)

    def whole(self, issue: int) -> int:
        while issue in self.parents:
            issue = self.parents[issue]
        return issue

    def issue(self, variant: int) -> int:
        return self.whole(self.own(variant))

    def issues(self) -> dict[int, set[int]]:
        found: defaultdict[int, set[int]] = defaultdict(set)
        for variant in self.events:
            found[self.issue(variant)].add(variant)
        return dict(found)

    def fingerprint(self, variant: int, number: int) -> int:
        configuration = self.configurations[number]
        return fingerprint_of(SHAPES[variant], configuration.version, configuration.rules).fingerprint_hash

    def arrive(self, variant: int, number: int) -> None:
        self.events[variant] += 1
        if variant in self.latest:
            return
        fingerprint = self.fingerprint(variant, number)
        siblings = [
            issue
            for other, issue in self.mapped[number].items()
            if self.fingerprint(other, number) == fingerprint
        ]
        issue = siblings[0] if siblings else issue_id_of(self.project_id, fingerprint, number)
        self.mapped[number][variant] = self.latest[variant] = issue

    def fill(self, number: int) -> None:
        rows = self.mapped[number]
        placements = [
            Placement(
                variant,
                self.fingerprint(variant, number),
                self.issue(variant),
                self.own(variant),
                is_placed=variant in self.placed,
                first_seen_ms=_first_seen_ms(variant),
            )
            for variant in self.events
        ]
        known = {self.fingerprint(variant, number): issue for variant, issue in rows.items()}
        found = mapping(
            placements, known, set(rows.values()), lambda each: issue_id_of(self.project_id, each, number)
        )
        for placement in placements:
            if placement.variant_hash not in rows:
                rows[placement.variant_hash] = found[placement.fingerprint_hash]
                self.latest[placement.variant_hash] = rows[placement.variant_hash]

    def place(self, issues: set[int]) -> None:
        for variant in self.events:
            if self.issue(variant) in issues:
                self.placed.setdefault(variant, self.own(variant))


class PeopleAndRules(RuleBasedStateMachine):
    warehouse: WarehouseProcess
    store: Store
    organization_id: int

    @initialize()
    def begin(self) -> None:
        created = self.store.create_project(self.organization_id, f"p{uuid4().hex}", actor="ada")
        project = created.project
        self.model = Model(project.id)
        self.ingest, self.read = INGEST[0], INGEST[1]
        self.people = Membership(self.store, self.ingest, self.read, project.id, "ada@example.org")
        self.regroupings = Regroupings(
            self.store, self.ingest, self.read, self.organization_id, project.slug, project.id
        )
        self.slug = project.slug

    def issues(self) -> list[int]:
        """In an order that does not depend on ids, which differ from run to run."""
        found = self.model.issues()
        return sorted(found, key=lambda issue: min(found[issue]))

    def has_issues(count: int) -> Callable[["PeopleAndRules"], bool]:  # type: ignore[misc]  # noqa: N805
        return lambda self: len(self.model.issues()) >= count

    @rule(numbers=st.lists(st.integers(0, 35), min_size=1, max_size=6), late=st.booleans(), data=st.data())
    def events_arrive(self, numbers: list[int], late: bool, data: st.DataObject) -> None:
        """A node that has not heard of the switch maps by the configuration before it."""
        model = self.model
        number = data.draw(st.sampled_from(sorted(model.configurations))) if late else model.active
        registry = VariantRegistry(self.ingest, lambda _: model.configurations[number])
        hashes = [variant_hash_of(shape_of(each)) for each in numbers]
        registry.learn({(model.project_id, variant_hash) for variant_hash in hashes})
        events = [an_error_event(project_id=model.project_id, variant_hash=each) for each in hashes]
        sightings = [
            Sighting(Variant(each, SHAPES[each], f"{each}", "A", "", "", 1), _sighted(event, each))
            for each, event in zip(hashes, events, strict=True)
        ]
        rows, _ = registry.rows_of_new(sightings)
        if rows:
            store_rows(self.warehouse, rows)
        insert(self.ingest, "errata_raw.error_events", events)
        before = set(model.latest)
        known = {number: dict(model.mapped[number])}
        for each in hashes:
            model.arrive(each, number)
        assert known[number].items() <= model.mapped[number].items() and before <= set(model.latest)

    @precondition(has_issues(2))
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        model = self.model
        every = list(dict.fromkeys([*self.issues(), *model.parents]))
        part, into = data.draw(st.sampled_from(every)), data.draw(st.sampled_from(self.issues()))
        if model.whole(into) == part:
            with pytest.raises(InvalidParameter):
                self.people.merge([part], into)
            return
        target = model.whole(into)
        if model.whole(part) == target:
            model.place({target})
        model.place({target, model.whole(part)})
        self.people.merge([part], into)
        model.parents[part] = target
        model.by_people.add(part)
        model.joined.discard(part)

    @precondition(lambda self: self.model.parents)
    @rule(data=st.data())
    def unmerge(self, data: st.DataObject) -> None:
        model = self.model
        part = data.draw(st.sampled_from(list(model.parents)))
        whole = model.whole(part)
        model.place({whole})
        self.people.unmerge(part)
        del model.parents[part]
        model.by_people.add(part)
        model.joined.discard(part)
        model.apart.append((part, whole))

    @precondition(has_issues(1))
    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        model = self.model
        issue = data.draw(st.sampled_from(self.issues()))
        variants = sorted(model.issues()[issue])
        chosen = data.draw(st.lists(st.sampled_from(variants), min_size=1, unique=True))
        others = [other for other in self.issues() if other != issue]
        into = data.draw(st.sampled_from([None, *others]))
        if len(chosen) == len(variants):
            with pytest.raises(InvalidParameter):
                self.people.split(issue, chosen, into)
            return
        parts = [
            part
            for part in model.parents
            if {v for v in variants if _is_below(model, model.own(v), part)} == set(chosen)
        ]
        target = self.people.split(issue, chosen, into)
        model.place({issue, *([into] if into else [])})
        model.apart.append((target, issue))
        if into is None and parts and target in parts:
            del model.parents[target]
            model.by_people.add(target)
            model.joined.discard(target)
            return
        assert into in (None, target)
        for variant in chosen:
            model.placed[variant] = target

    @precondition(has_issues(1))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        model = self.model
        issue = data.draw(st.sampled_from(self.issues()))
        chosen = data.draw(st.lists(st.sampled_from(sorted(model.issues()[issue])), min_size=1, unique=True))
        self.people.release(issue, chosen)
        for variant in chosen:
            model.placed.pop(variant, None)

    @precondition(has_issues(2))
    @rule(data=st.data())
    def tell_apart(self, data: st.DataObject) -> None:
        left, right = data.draw(st.lists(st.sampled_from(self.issues()), min_size=2, max_size=2, unique=True))
        self.model.place({left, right})
        self.people.tell_apart(left, right)
        self.model.apart.append((left, right))

    @precondition(has_issues(2))
    @rule(data=st.data())
    def pipelines_join(self, data: st.DataObject) -> None:
        model = self.model
        part, into = data.draw(st.lists(st.sampled_from(self.issues()), min_size=2, max_size=2, unique=True))
        blocked = part in model.by_people or any(
            {model.whole(left), model.whole(right)} == {part, into} for left, right in model.apart
        )
        assert self.people.join(part, into, {"score": 1}) is not blocked
        if not blocked:
            model.parents[part] = into
            model.joined.add(part)

    @rule(rules=st.sampled_from(RULES))
    def regroup(self, rules: str) -> None:
        model = self.model
        draft = self.store.save_grouping_draft(model.project_id, 1, rules, actor="ada")
        model.configurations[draft.number] = grouping(1, rules, draft.number)
        told = self.regroupings.preview(draft.number).outcome
        self._switch(draft.number)
        assert told.after == {variant: model.issue(variant) for variant in model.events}
        assert told.issue_count_after == len(model.issues())

    @precondition(lambda self: len(self.model.configurations) > 1)
    @rule(data=st.data())
    def go_back(self, data: st.DataObject) -> None:
        self._switch(data.draw(st.sampled_from(sorted(self.model.configurations))))

    def _switch(self, number: int) -> None:
        model = self.model
        placed = {variant: model.issue(variant) for variant in model.placed}
        before = dict(model.mapped[number])
        self.regroupings.apply(number, "ada@example.org")
        model.fill(model.active)
        model.fill(number)
        model.active = number
        assert {variant: model.issue(variant) for variant in placed} == placed
        assert {variant: model.mapped[number][variant] for variant in before} == before

    @invariant()
    def every_event_is_in_one_issue(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        rows = self.read.rows(
            "select variant_hash, groupArray(issue_id) as issues, any(is_placed) as is_placed "
            "from errata_read.issue_variants(projects = [{project_id:UInt32}]) group by variant_hash",
            {"project_id": model.project_id},
        )
        assert {row["variant_hash"]: row["issues"] for row in rows} == {
            variant: [model.issue(variant)] for variant in model.events
        }
        assert {row["variant_hash"] for row in rows if row["is_placed"]} == set(model.placed)
        counts = self.read.rows(
            "select issue_id, count() as event_count from "
            "errata_read.error_events(projects = [{project_id:UInt32}]) as events inner join "
            "errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants using variant_hash "
            "group by issue_id",
            {"project_id": model.project_id},
        )
        assert {row["issue_id"]: row["event_count"] for row in counts} == {
            issue: sum(model.events[variant] for variant in variants)
            for issue, variants in model.issues().items()
        }

    @invariant()
    def what_people_told_apart_is_apart_until_they_merge_it(self) -> None:
        if not hasattr(self, "model"):
            return
        decided = decided_merges(self.read, self.model.project_id)
        assert decided.merges.parents == self.model.parents
        expected = {
            frozenset({self.model.whole(left), self.model.whole(right)}) for left, right in self.model.apart
        }
        found = told_apart(differences(self.read, self.model.project_id), decided)
        assert found == {pair for pair in expected if len(pair) == 2}


def _is_below(model: Model, issue: int, part: int) -> bool:
    while issue != part and issue in model.parents:
        issue = model.parents[issue]
    return issue == part


def _sighted(event: dict[str, object], variant: int) -> dict[str, object]:
    """Seen first at a moment of its own, so that nothing depends on ids, which differ from run to run."""
    return {**event, "occurred_at": datetime.fromtimestamp(_first_seen_ms(variant) / 1000, UTC)}


def _first_seen_ms(variant: int) -> int:
    return 1_780_000_000_000 + list(SHAPES).index(variant)


INGEST: list[Warehouse] = []


@pytest.fixture
def clients(warehouse: WarehouseProcess) -> Iterator[None]:
    INGEST[:] = [warehouse.client(Role.INGEST), warehouse.client(Role.READ)]
    yield
    for client in INGEST:
        client.close()


@pytest.mark.timeout(600)
def test_people_and_rules_in_any_order(warehouse: WarehouseProcess, clients: None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(f"sqlite:///{Path(folder) / 'state.db'}", b"s" * 48)
        store.migrate()
        account = store.create_first_account("Acme", "Web shop", "owner@example.org")
        owner = store.api_key_owner(account.api_key)
        assert owner is not None
        PeopleAndRules.warehouse, PeopleAndRules.store = warehouse, store
        PeopleAndRules.organization_id = owner.organization_id
        run_state_machine_as_test(
            PeopleAndRules,
            settings=settings(
                max_examples=4,
                stateful_step_count=10,
                deadline=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
        store.close()
