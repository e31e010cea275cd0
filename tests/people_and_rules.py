"""A machine that decides at random, in the real warehouse, state store and ingest, beside a model.

After each step every event is in one issue, the one that the model says.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from api.ingest.item import Rows
from api.ingest.variants import Key, Sighting, VariantRegistry
from api.membership import Membership
from api.regrouping import Regroupings
from api.workflow import Workflow
from errata.errors import InvalidParameter
from errata.grouping import Variant
from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.resolution.assignments import amiss, put_right
from errata.state import Store
from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.queries.membership import decided_merges, differences, issues_of_variants, told_apart
from errata.warehouse.roles import Role
from errata.workflow.vocabulary import Word
from tests.builders import an_error_event, insert
from tests.decided_model import HASHES, SHAPES, VARIANTS, Model, first_seen_ms
from tests.processes import WarehouseProcess
from tests.warehouse_rows import insert_rows

RULES = (
    "",
    "type:A -> every-a",
    "module:m0 -> m0\nmodule:m1 -> {{ default }}, m1",
    "type:* -> one",
    "function:f0 -> f0 {{ type }}",
)
VERSIONS = (2, 4)
DECISIONS: Mapping[Word, Mapping[str, Any]] = {
    Word.RESOLVE: {"in": "now"},
    Word.IGNORE: {"until": "2100-01-01T00:00:00Z"},
    Word.UNRESOLVE: {},
    Word.ASSIGN: {"assignee": "bob@example.org"},
    Word.PRIORITIZE: {"priority": "high"},
    Word.DELETE: {},
}
MANY_WRITES = 1 << 30


class EndsAfter(Warehouse):
    """As a process that is killed after so many inserts, or before it writes through what it logged."""

    writes = MANY_WRITES
    ends_before_writing_through = False

    def execute(self, *arguments: Any, **named: Any) -> None:
        if self.ends_before_writing_through:
            raise WarehouseUnavailable(self.address, "killed")
        super().execute(*arguments, **named)

    def insert_rows(self, *arguments: Any, **named: Any) -> None:
        if not self.writes:
            raise WarehouseUnavailable(self.address, "killed")
        self.writes -= 1
        super().insert_rows(*arguments, **named)


class PeopleAndRules(RuleBasedStateMachine):
    warehouse: WarehouseProcess
    store: Store
    organization_id: int
    ingest: EndsAfter
    read: Warehouse
    read_all: Warehouse
    steps: ClassVar[Counter[str]] = Counter()

    @classmethod
    def in_(cls, warehouse: WarehouseProcess, store: Store, organization_id: int) -> None:
        cls.warehouse, cls.store, cls.organization_id = warehouse, store, organization_id
        cls.ingest, cls.read = EndsAfter(warehouse.url(Role.INGEST)), warehouse.client(Role.READ)
        cls.read_all = warehouse.client(Role.INGEST)

    @initialize(numbers=st.sets(st.integers(0, VARIANTS - 1), min_size=3, max_size=12))
    def begin(self, numbers: set[int]) -> None:
        project = self.store.projects.create(self.organization_id, f"p{uuid4().hex}", actor="ada").project
        self.model = Model(project.id)
        self.ingest.writes = MANY_WRITES
        self.people = Membership(self.store, self.ingest, self.read, project.id, "ada@example.org")
        self.regroupings = Regroupings(
            self.store, self.ingest, self.read, self.organization_id, project.slug, project.id
        )
        self._deliver([HASHES[number] for number in sorted(numbers)], [1])

    def issues(self) -> list[int]:
        """In an order that does not depend on ids, which differ from run to run."""
        found = self.model.issues()
        return sorted(found, key=lambda issue: min(map(first_seen_ms, found[issue])))

    def variants(self, issue: int) -> list[int]:
        return sorted(self.model.issues()[issue], key=first_seen_ms)

    def has_issues(count: int) -> Callable[["PeopleAndRules"], bool]:  # type: ignore[misc]  # noqa: N805
        return lambda self: len(self.model.issues()) >= count

    @rule(
        numbers=st.lists(st.integers(0, VARIANTS - 1), min_size=1, max_size=6),
        nodes=st.sampled_from(["one", "late", "two"]),
        data=st.data(),
    )
    def events_arrive(self, numbers: list[int], nodes: str, data: st.DataObject) -> None:
        """A node that has not heard of a switch maps by a configuration before it; two may meet the same."""
        model = self.model
        any_of_them = st.sampled_from(sorted(model.configurations))
        heard = {
            "one": lambda: [model.active],
            "late": lambda: [data.draw(any_of_them)],
            "two": lambda: [data.draw(any_of_them), model.active],
        }[nodes]()
        self._deliver([HASHES[each] for each in numbers], heard)

    def _deliver(self, hashes: Sequence[int], heard: Sequence[int]) -> None:
        model = self.model
        events = [an_error_event(project_id=model.project_id, variant_hash=each) for each in hashes]
        nodes = [self._node(model.configurations[each], hashes) for each in heard]
        found = [_rows_of_new(node, events) for node in nodes]
        for rows, _ in found:
            for table, new in rows.items():
                insert_rows(self.ingest, table, new)
        for node, (_, keys) in zip(nodes, found, strict=True):
            node.assign(keys)
        insert(self.ingest, "errata_raw.error_events", events)
        model.arrive(hashes, heard)

    def _node(self, configuration: GroupingConfiguration, hashes: Sequence[int]) -> VariantRegistry:
        registry = VariantRegistry(self.ingest, lambda _: configuration)
        registry.learn({(self.model.project_id, variant_hash) for variant_hash in hashes})
        return registry

    @precondition(has_issues(2))
    @rule(writes=st.sampled_from([MANY_WRITES, MANY_WRITES, 0, 1]), is_killed=st.booleans(), data=st.data())
    def merge(self, writes: int, is_killed: bool, data: st.DataObject) -> None:
        model = self.model
        every = st.sampled_from(list(dict.fromkeys([*self.issues(), *model.parents])))
        parts = data.draw(st.lists(every, min_size=1, max_size=3, unique=True))
        into = data.draw(every)
        target = model.root(into)
        if target in parts:
            with pytest.raises(InvalidParameter):
                self.people.merge(parts, into)
            return
        touched = {target, *map(model.root, parts)}
        is_placing = bool(model.unplaced(touched))
        self.ingest.writes = writes
        if writes <= is_placing:
            with pytest.raises(WarehouseUnavailable):
                self.people.merge(parts, into)
        elif is_killed:
            self._killed_between_log_and_table(lambda: self.people.merge(parts, into))
        else:
            assert self.people.merge(parts, into) == target
        self.ingest.writes = MANY_WRITES
        put_right(self.ingest, [model.project_id])
        if writes:
            model.place(touched)
        if writes > is_placing:
            for part in parts:
                model.put_into(part, target)

    def _killed_between_log_and_table(self, act: Callable[[], object]) -> None:
        self.ingest.ends_before_writing_through = True
        with pytest.raises(WarehouseUnavailable):
            act()
        self.ingest.ends_before_writing_through = False
        assert put_right(self.ingest, [self.model.project_id])

    @precondition(has_issues(1))
    @rule(
        word=st.sampled_from(sorted(DECISIONS)),
        is_killed=st.booleans(),
        is_undone=st.booleans(),
        data=st.data(),
    )
    def decide(self, word: Word, is_killed: bool, is_undone: bool, data: st.DataObject) -> None:
        """About issues, whatever becomes of their variants later."""
        chosen = data.draw(st.lists(st.sampled_from(self.issues()), min_size=1, max_size=3, unique=True))
        workflow = Workflow(self.ingest, self.read, self.model.project_id, "ada@example.org")
        batch_id = uuid4()
        if is_killed:
            act = partial(workflow.act, chosen, word, DECISIONS[word], batch_id)
            self._killed_between_log_and_table(act)
        else:
            workflow.act(chosen, word, DECISIONS[word], batch_id)
        if is_undone and is_killed:
            self._killed_between_log_and_table(lambda: workflow.undo(batch_id=batch_id))
        elif is_undone:
            workflow.undo(batch_id=batch_id)

    @precondition(has_issues(2))
    @rule(data=st.data())
    def merge_and_take_back(self, data: st.DataObject) -> None:
        """Gives back exactly what was."""
        model = self.model
        part, into = data.draw(st.lists(st.sampled_from(self.issues()), min_size=2, max_size=2, unique=True))
        before = model.issues()
        self.people.merge([part], into)
        self.people.unmerge(part)
        model.place({part, into})
        model.put_into(part, 0)
        model.apart.append((part, into))
        assert model.issues() == before

    @precondition(has_issues(2))
    @rule(numbers=st.lists(st.integers(0, VARIANTS - 1), max_size=2), data=st.data())
    def merge_and_undo(self, numbers: list[int], data: st.DataObject) -> None:
        """As if nobody had merged, also where something arrived meanwhile."""
        model = self.model
        every = st.sampled_from(list(dict.fromkeys([*self.issues(), *model.parents])))
        parts = data.draw(st.lists(every, min_size=1, max_size=3, unique=True))
        into = data.draw(st.sampled_from(self.issues()))
        if into in parts:
            return
        batch_id = uuid4()
        self.people.merge(parts, into, batch_id)
        if numbers:
            self._deliver([HASHES[number] for number in numbers], [model.active])
        assert len(self.people.take_merge_back(batch_id)) == len(parts)

    @precondition(lambda self: self.model.parents)
    @rule(data=st.data())
    def unmerge(self, data: st.DataObject) -> None:
        model = self.model
        part = data.draw(st.sampled_from(list(model.parents)))
        whole = model.root(part)
        self.people.unmerge(part)
        model.place({whole})
        model.put_into(part, 0)
        model.apart.append((part, whole))

    @precondition(has_issues(1))
    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        model = self.model
        issue = data.draw(st.sampled_from(self.issues()))
        variants = self.variants(issue)
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
            if {v for v in variants if model.is_below(model.own(v), part)} == set(chosen)
        ]
        target = self.people.split(issue, chosen, into)
        model.place({issue, *([into] if into else [])})
        model.apart.append((target, issue))
        if into is None and target in parts:
            model.put_into(target, 0)
            return
        assert into in (None, target) and not (into is None and parts)
        for variant in chosen:
            model.placed[variant] = target

    @precondition(has_issues(1))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        issue = data.draw(st.sampled_from(self.issues()))
        chosen = data.draw(st.lists(st.sampled_from(self.variants(issue)), min_size=1, unique=True))
        self.people.release(issue, chosen)
        for variant in chosen:
            self.model.placed.pop(variant, None)

    @precondition(has_issues(2))
    @rule(data=st.data())
    def tell_apart(self, data: st.DataObject) -> None:
        left, right = data.draw(st.lists(st.sampled_from(self.issues()), min_size=2, max_size=2, unique=True))
        self.people.tell_apart(left, right)
        self.model.place({left, right})
        self.model.apart.append((left, right))

    @precondition(has_issues(2))
    @rule(data=st.data())
    def pipelines_join(self, data: st.DataObject) -> None:
        model = self.model
        part, into = data.draw(st.lists(st.sampled_from(self.issues()), min_size=2, max_size=2, unique=True))
        blocked = part in model.by_people or any(
            {model.root(left), model.root(right)} == {part, into} for left, right in model.apart
        )
        assert self.people.auto_merge(part, into, {"score": 1}) is not blocked
        if not blocked:
            model.parents[part] = into
            model.joined.add(part)

    @rule(version=st.sampled_from(VERSIONS), rules=st.sampled_from(RULES))
    def regroup(self, version: int, rules: str) -> None:
        model = self.model
        draft = self.store.grouping.save_draft(model.project_id, version, rules, actor="ada")
        model.configurations[draft.number] = grouping(version, rules, draft.number)
        told = self.regroupings.preview(draft.number).outcome
        model.settle()
        self._apply(draft.number, MANY_WRITES)
        assert told.after == {variant: model.issue(variant) for variant in model.events}
        assert told.issue_count_after == len(model.issues())

    @precondition(lambda self: len(self.model.configurations) > 1)
    @rule(writes=st.sampled_from([MANY_WRITES, MANY_WRITES, 0, 1, 2]), data=st.data())
    def go_to_another(self, writes: int, data: st.DataObject) -> None:
        """Back to an earlier one, or on again to one that was rolled back."""
        self._apply(data.draw(st.sampled_from(sorted(self.model.configurations))), writes)

    @precondition(lambda self: self.model.in_force != self.model.active)
    @rule()
    def the_watch_finishes_what_was_interrupted(self) -> None:
        self.regroupings.complete_if_needed()
        self.model.settle()

    def _apply(self, number: int, writes: int) -> None:
        model = self.model
        placed = {variant: model.issue(variant) for variant in model.placed}
        before = dict(model.mapped[number])
        is_done = model.apply(number, writes)
        self.ingest.writes = writes
        if is_done:
            self.regroupings.apply(number, "ada@example.org")
        else:
            with pytest.raises(WarehouseUnavailable):
                self.regroupings.apply(number, "ada@example.org")
        self.ingest.writes = MANY_WRITES
        assert {variant: model.issue(variant) for variant in placed} == placed
        assert {variant: model.mapped[number][variant] for variant in before} == before

    @invariant()
    def what_is_stored_is_what_the_logs_say(self) -> None:
        if hasattr(self, "model"):
            assert amiss(self.read_all, [self.model.project_id]) == {}

    @invariant()
    def every_variant_is_in_one_issue_with_all_its_events(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        PeopleAndRules.steps["steps"] += 1
        rows = self.read.rows(
            "select variant_hash, issue_id, is_placed from errata_read.issue_variants",
            {"project_id": model.project_id},
        )
        assert len(rows) == len(model.events)
        assert {row["variant_hash"]: row["issue_id"] for row in rows} == {
            variant: model.issue(variant) for variant in model.events
        }
        assert {row["variant_hash"] for row in rows if row["is_placed"]} == set(model.placed)
        counts = self.read.rows(
            "select variant_hash, count() as event_count from errata_raw.error_events group by variant_hash",
            {"project_id": model.project_id},
        )
        assert {row["variant_hash"]: row["event_count"] for row in counts} == model.events
        self._one_issue_is_found_by_itself_as_in_the_whole_project()

    def _one_issue_is_found_by_itself_as_in_the_whole_project(self) -> None:
        model = self.model
        assert issues_of_variants(self.read, model.project_id, model.events) == {
            variant: model.issue(variant) for variant in model.events
        }
        issues = sorted(model.issues().items())
        if not issues:
            return
        issue, variants = issues[PeopleAndRules.steps["steps"] % len(issues)]
        for part in {issue, *(part for part in model.parents if model.root(part) == issue)}:
            whole = merged_issue(self.read, model.project_id, part)
            assert whole is not None and whole.issue_id == issue
            assert {own.variant_hash for own in whole.variants} == set(variants)
            placed = {own.variant_hash for own in whole.variants if own.is_placed}
            assert placed == set(variants) & set(model.placed)

    @invariant()
    def what_people_told_apart_is_apart_until_they_merge_it(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        decided = decided_merges(self.read, model.project_id)
        assert decided.merges.parents == model.parents
        assert decided.roots == {part: model.root(part) for part in model.parents}
        assert set(decided.by_people) == model.by_people and set(decided.joined) == model.joined
        expected = {frozenset({model.root(left), model.root(right)}) for left, right in model.apart}
        found = told_apart(differences(self.read, model.project_id), decided)
        assert found == {pair for pair in expected if len(pair) == 2}

    def teardown(self) -> None:
        """Where each issue's events are counted, there are as many as arrived."""
        if not hasattr(self, "model"):
            return
        model = self.model
        PeopleAndRules.steps["examples"] += 1
        PeopleAndRules.steps["events"] += sum(model.events.values())
        counts = self.read.rows(
            "select issue_id, count() as event_count from "
            "errata_raw.error_events as events inner join "
            "errata_read.issue_variants as variants using variant_hash "
            "group by issue_id",
            {"project_id": model.project_id},
        )
        assert {row["issue_id"]: row["event_count"] for row in counts} == {
            issue: sum(model.events[variant] for variant in variants)
            for issue, variants in model.issues().items()
        }


def _rows_of_new(registry: VariantRegistry, events: Sequence[Mapping[str, Any]]) -> tuple[Rows, set[Key]]:
    sightings = [
        Sighting(_variant(event["variant_hash"]), {**event, "occurred_at": _sighted(event["variant_hash"])})
        for event in events
    ]
    return registry.rows_of_new(sightings)


def _variant(variant_hash: int) -> Variant:
    return Variant(variant_hash, SHAPES[variant_hash], f"{variant_hash}", "A", "", "", 1)


def _sighted(variant_hash: int) -> datetime:
    return datetime.fromtimestamp(first_seen_ms(variant_hash) / 1000, UTC)
