"""Erasures: what a request names, and the steps that remove it. A step can be repeated after a kill."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID, uuid4

import msgspec

from api.context import Context
from api.ingest.item import Rows
from api.ingest.values import user_hash, warehouse_time
from api.ingest.variants import Sighting, VariantRegistry
from errata.errors import ErrataError, InvalidParameter
from errata.grouping import variant_of
from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.period import Period
from errata.state.erasures import Named
from errata.warehouse import sql
from errata.warehouse.client import INSERT_TIMEOUT_SECONDS
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.erasures import items, removal, variants
from errata.warehouse.queries.erasures.items import Subject
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, erasures, record
from errata.warehouse.queries.vocabulary import issue_text

log = logging.getLogger("errata.erasures")

GoesOn = Callable[[], bool]
# Ingest nodes look for new erasures this often.
NOTICED_WITHIN = timedelta(seconds=5)
# An insert that began before its node knew of an erasure is visible by then.
STORED_WITHIN = NOTICED_WITHIN + timedelta(seconds=INSERT_TIMEOUT_SECONDS + 5)
MOST_USERS = items.MOST_USERS


class TooManyUsers(ErrataError):
    code = "too_many_users"

    def __init__(self) -> None:
        super().__init__(
            f"More than {MOST_USERS:,} users have this ID or email address, so it names no single "
            "person. Erase users one by one."
        )


@dataclass(frozen=True)
class Asked:
    """What a request names: an event, an issue, a person by ID, email address or key, a replay, the replays
    of a time, or the whole project by its slug. `words` are what a person must repeat; never empty."""

    kind: Kind
    by: str
    words: str


@dataclass(frozen=True)
class Steps:
    """The steps of erasures. `waits` for rows in flight; only tests shorten it."""

    context: Context
    waits: timedelta = STORED_WITHIN

    def subject(self, project_id: int, asked: Asked) -> Subject | None:
        """What the warehouse has of a request's subject; None: nothing. Raises TooManyUsers."""
        read = self.context.read
        match asked.kind:
            case Kind.EVENT:
                return Subject(events=(UUID(asked.words),))
            case Kind.ISSUE:
                found, _ = items.variants_of_issue(read, project_id, int(asked.words, 16))
                return Subject(variants=found) if found else None
            case Kind.PERSON:
                users = self._users(project_id, asked)
                return Subject(users=users) if users else None
            case Kind.REPLAY | Kind.REPLAYS:
                return replays_of(asked.kind, asked.words)
            case _:
                return None

    def _users(self, project_id: int, asked: Asked) -> list[int]:
        if asked.by == "key":
            return [int(asked.words, 16)] if int(asked.words, 16) else []
        is_id = asked.by == "id"
        own = user_hash(asked.words, None, None, None) if is_id else user_hash(None, asked.words, None, None)
        if not own:
            # "unknown", "null" and the like identify nobody.
            return []
        named = (asked.words, "") if is_id else ("", asked.words)
        found = items.users_named(self.context.read, project_id, *named)
        if len(found) > MOST_USERS:
            raise TooManyUsers
        return sorted({own, *found})

    def ask(
        self,
        organization_id: int,
        project_id: int,
        asked: Asked,
        actor: str,
        *,
        is_deleted: bool = False,
    ) -> Erasure:
        """Records an erasure, which the job carries out."""
        state = self.context.state.erasures
        subject, sealed = asked.words, None
        if asked.kind is Kind.PERSON:
            subject = state.person_hash(asked.by, asked.words)
            sealed = {"by": asked.by, "words": asked.words}
        sealed_id = state.ask(organization_id, actor, f"{asked.kind.value} {subject}", sealed)
        erasure = Erasure(
            project_id,
            uuid4(),
            asked.kind,
            subject,
            actor,
            warehouse_now(self.context.read),
            sealed_id=sealed_id,
            is_deleted=is_deleted,
        )
        return record(self.context.warehouse, erasure, Step.ASKED)

    def go_on(self, project_id: int, erasure_id: UUID, goes_on: GoesOn) -> None:
        """Takes the next steps of an erasure, as far as they are due."""
        (erasure,) = erasures(self.context.warehouse, [project_id], erasure_id)
        try:
            self._go_on(erasure, goes_on)
        except removal.Interrupted:
            return
        except ErrataError as error:
            if erasure.reason != error.code:
                record(self.context.warehouse, erasure, Step.FAILED, error.code)
            raise

    def _go_on(self, erasure: Erasure, goes_on: GoesOn) -> None:
        owner = self.context.state.erasures.organization_of(erasure.project_id)
        if erasure.is_deleted and owner is not None and not owner[1]:
            # The request ended before the project was deleted: nothing may be erased of it.
            return
        if erasure.reached is Step.ASKED:
            erasure = self._collected(erasure, goes_on)
        if erasure.reached is Step.COLLECTED and self._is_due(erasure, Step.COLLECTED):
            erasure = self._rows_removed(erasure, goes_on)
        if erasure.reached is Step.ROWS_REMOVED and self._is_due(erasure, Step.ROWS_REMOVED):
            self._settle(erasure, goes_on)

    def _is_due(self, erasure: Erasure, step: Step) -> bool:
        at = erasure.at(step)
        return at is not None and warehouse_now(self.context.warehouse) >= at + self.waits

    def _taken(self, erasure: Erasure, step: Step) -> Erasure:
        record(self.context.warehouse, erasure, step)
        (found,) = erasures(self.context.warehouse, [erasure.project_id], erasure.erasure_id)
        return found

    def _collected(self, erasure: Erasure, goes_on: GoesOn) -> Erasure:
        """Records the ids, and removes texts elsewhere while their words are still known."""
        texts: list[str] = []
        replaced: dict[str, int] = {}
        if erasure.kind is not Kind.PROJECT:
            subject, texts, issues = self._of(erasure)
            if subject is not None:
                items.collect(self.context.warehouse, erasure, subject)
                items.collect_from_marts(self.context.read, self.context.warehouse, erasure, subject)
            found = variants.affected(self.context.warehouse, erasure, texts)
            chosen = set(subject.variants) if subject is not None else set()
            gone = sorted(chosen | set(found.gone))
            more = variants.issues_without_variants(self.context.warehouse, erasure.project_id, gone)
            erasure = replace(
                erasure,
                variants=gone,
                renamed_variants=[one for one in found.renamed if one not in chosen],
                issues=sorted({*issues, *more}),
            )
            rules = self._grouping(erasure.project_id).rules
            variants.rename(self.context.warehouse, erasure, texts, rules, goes_on)
            comments = variants.remove_comments(self.context.warehouse, erasure.project_id, texts, goes_on)
            names = variants.remove_names(self.context.warehouse, erasure.project_id, texts, goes_on)
            replaced = {"comments": comments, "names": names}
        replaced |= self.context.state.erasures.remove_texts(self._named(erasure, texts))
        counts = {place: count for place, count in replaced.items() if count}
        return self._taken(replace(erasure, replaced_counts=counts), Step.COLLECTED)

    def _of(self, erasure: Erasure) -> tuple[Subject | None, list[str], list[int]]:
        """The subject of a recorded erasure, the texts that name a person, and whole issues."""
        warehouse, project_id = self.context.warehouse, erasure.project_id
        if erasure.kind is Kind.EVENT:
            return Subject(events=(UUID(erasure.subject),)), [], []
        if erasure.kind in (Kind.REPLAY, Kind.REPLAYS):
            return replays_of(erasure.kind, erasure.subject), [], []
        if erasure.kind is Kind.ISSUE:
            issue_id = int(erasure.subject, 16)
            found, issues = items.variants_of_issue(warehouse, project_id, issue_id)
            return (Subject(variants=found) if found else None), [], issues or [issue_id]
        if not erasure.sealed_id:
            # Of a restored backup: the ids are recorded, and nobody knows whose they are.
            return None, [], []
        asked = self._person(erasure)
        users = self._users(project_id, asked)
        texts = items.texts_of_users(warehouse, project_id, users)
        if asked.by != "key" and items.names_a_person(asked.words):
            texts.add(asked.words)
        return (Subject(users=users) if users else None), sorted(texts), []

    def _person(self, erasure: Erasure) -> Asked:
        owner = self.context.state.erasures.organization_of(erasure.project_id)
        kept = self.context.state.erasures.subject(owner[0], erasure.sealed_id) if owner else None
        if kept is None:
            raise SubjectLost
        return Asked(Kind.PERSON, kept["by"], kept["words"])

    def _named(self, erasure: Erasure, texts: Collection[str]) -> Named:
        def erased(events: Collection[str]) -> Collection[str]:
            asked = {
                "project_id": erasure.project_id,
                "erasure_id": erasure.erasure_id,
                "events": [str(UUID(one)) for one in events],
            }
            rows = self.context.warehouse.rows(sql.query("events_of_erasure"), asked) if events else []
            return {row["item_id"].hex for row in rows}

        return Named(
            erasure.project_id,
            [issue_text(one) for one in erasure.issues],
            texts,
            erased,
            retitled=[
                issue_text(one)
                for one in variants.issues_of(
                    self.context.warehouse, erasure.project_id, erasure.renamed_variants
                )
            ],
            is_whole=erasure.kind is Kind.PROJECT,
        )

    def _rows_removed(self, erasure: Erasure, goes_on: GoesOn) -> Erasure:
        warehouse = self.context.warehouse
        if erasure.kind is Kind.PROJECT:
            counts = removal.remove_project(warehouse, erasure, goes_on)
        else:
            since = erasure.at(Step.ASKED)
            assert since is not None
            removal.collect_later_copies(warehouse, erasure, since - timedelta(minutes=1))
            counts = removal.remove_items(warehouse, erasure, goes_on)
            erasure = self._without_exemplars(erasure, goes_on)
            variants.drop(warehouse, erasure, goes_on)
        owner = self.context.state.erasures.organization_of(erasure.project_id)
        if owner is not None:
            total = sum(counts.values())
            self.context.state.erasures.complete(
                owner[0], erasure.sealed_id, f"{erasure.kind.value}, {total:,} rows"
            )
        return self._taken(replace(erasure, row_counts=counts, sealed_id=""), Step.ROWS_REMOVED)

    def _without_exemplars(self, erasure: Erasure, goes_on: GoesOn) -> Erasure:
        """Another erasure may have taken an exemplar from this one's events meanwhile."""
        found = variants.affected(self.context.warehouse, erasure, ())
        again = [one for one in found.renamed if one not in erasure.variants]
        if again:
            rules = self._grouping(erasure.project_id).rules
            named = replace(erasure, renamed_variants=again)
            variants.rename(self.context.warehouse, named, (), rules, goes_on)
        return replace(erasure, variants=sorted({*erasure.variants, *found.gone}))

    def _settle(self, erasure: Erasure, goes_on: GoesOn) -> None:
        """Removes what was on its way for long, and records variants anew that got events while some node
        still knew their former records."""
        if erasure.kind is Kind.PROJECT:
            removal.remove_project(self.context.warehouse, erasure, goes_on)
            self._taken(erasure, Step.SETTLED)
            return
        at = erasure.at(Step.COLLECTED)
        assert at is not None
        removal.collect_later_copies(self.context.warehouse, erasure, at)
        removal.remove_items(self.context.warehouse, erasure, goes_on)
        last = self._without_exemplars(erasure, goes_on)
        if newly := sorted({*last.variants} - {*erasure.variants}):
            variants.drop(self.context.warehouse, replace(erasure, variants=newly, issues=()), goes_on)
            erasure = last
        rows = variants.without_record(self.context.warehouse, erasure)
        if rows:
            configuration = self._grouping(erasure.project_id)
            sightings = []
            for row in rows:
                found = variant_of(msgspec.json.decode(row["payload"]), configuration.rules)
                occurred_at = warehouse_time(row["occurred_at"])
                event = {**row, "project_id": erasure.project_id, "occurred_at": occurred_at}
                sightings.append(Sighting(replace(found, variant_hash=row["variant_hash"]), event))
            registry = VariantRegistry(self.context.warehouse, lambda _: configuration)
            self._insert(*registry.rows_of_new(sightings), registry)
        self._taken(erasure, Step.SETTLED)

    def _insert(self, rows: Rows, keys: set[tuple[int, int]], registry: VariantRegistry) -> None:
        for table, many in rows.items():
            lines = b"\n".join(map(msgspec.json.encode, many))
            self.context.warehouse.insert_json_lines(table, lines, token=uuid4().hex)
        registry.assign(keys)

    def _grouping(self, project_id: int) -> GroupingConfiguration:
        active = self.context.state.grouping.active(project_id)
        return grouping(active.version, active.rules, active.number)


def replays_of(kind: Kind, words: str) -> Subject:
    """One replay by its id, or those of an interval. Raises InvalidParameter."""
    if kind is Kind.REPLAY:
        return Subject(replays=(UUID(words),))
    try:
        period = Period.parse(words)
    except ValueError as error:
        raise InvalidParameter("replays", str(error)) from error
    if not period.is_interval:
        raise InvalidParameter("replays", "must be an interval such as 2026-11-01T00:00Z/2026-11-08T00:00Z")
    since, until = period.ends
    return Subject(replays_from=since, replays_until=until)


class SubjectLost(ErrataError):
    """A person's sealed subject cannot be read: the service has another secret."""

    code = "erasure_subject_lost"

    def __init__(self) -> None:
        super().__init__(
            "The subject of the erasure can't be decrypted with this secret. Request the erasure again."
        )
