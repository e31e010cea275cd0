"""The actions of an erasure, each in one function. Any of them can be repeated after a kill."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import msgspec

from api.context import Context
from api.erasures.subject import Asked, replays_of, users_of
from api.ingest.values import warehouse_time
from api.ingest.variants import Sighting, VariantRegistry
from errata.errors import ErrataError
from errata.grouping import variant_of
from errata.grouping.configuration import GroupingConfiguration, grouping
from errata.state.erasures import Named
from errata.warehouse import sql
from errata.warehouse.queries.erasures import items, removal, variants
from errata.warehouse.queries.erasures.items import Subject
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step
from errata.warehouse.queries.vocabulary import issue_text

GoesOn = Callable[[], bool]
# Before the request: clocks of nodes may differ.
BEFORE_ASKED = timedelta(minutes=1)


class SubjectLost(ErrataError):
    """A person's sealed subject cannot be read: the service has another secret."""

    code = "erasure_subject_lost"

    def __init__(self) -> None:
        super().__init__(
            "The subject of the erasure can't be decrypted with this secret. Request the erasure again."
        )


@dataclass
class Work:
    """An erasure in progress, and what an action found for later ones: the subject, the texts that name a
    person, and the rows removed by place. An action raises `removal.Interrupted` if the node stops."""

    context: Context
    erasure: Erasure
    goes_on: GoesOn
    subject: Subject | None = None
    texts: list[str] = field(default_factory=list)
    replaced: dict[str, int] = field(default_factory=dict)

    @property
    def project_id(self) -> int:
        return self.erasure.project_id

    @property
    def grouping(self) -> GroupingConfiguration:
        active = self.context.state.grouping.active(self.project_id)
        return grouping(active.version, active.rules, active.number)


def find_subject(work: Work) -> None:
    """Finds the events, users, replays or variants to erase, whole issues, and the texts that name a
    person."""
    erasure, warehouse = work.erasure, work.context.warehouse
    match erasure.kind:
        case Kind.EVENT:
            work.subject = Subject(events=(UUID(erasure.subject),))
        case Kind.REPLAY | Kind.REPLAYS:
            work.subject = replays_of(erasure.kind, erasure.subject)
        case Kind.ISSUE:
            issue_id = int(erasure.subject, 16)
            found, issues = items.variants_of_issue(warehouse, work.project_id, issue_id)
            work.subject = Subject(variants=found) if found else None
            work.erasure = replace(erasure, issues=issues or [issue_id])
        case Kind.PERSON if erasure.sealed_id:
            asked = _person(work)
            users = users_of(work.context.read, work.project_id, asked)
            texts = items.texts_of_users(warehouse, work.project_id, users)
            if asked.by != "key" and items.names_a_person(asked.words):
                texts.add(asked.words)
            work.subject, work.texts = Subject(users=users) if users else None, sorted(texts)
        case _:
            # A person of a restored backup: the ids are recorded, and nobody knows whose they are.
            pass


def _person(work: Work) -> Asked:
    state = work.context.state.erasures
    owner = state.organization_of(work.project_id)
    kept = state.subject(owner[0], work.erasure.sealed_id) if owner else None
    if kept is None:
        raise SubjectLost
    return Asked(Kind.PERSON, kept["by"], kept["words"])


def record_items(work: Work) -> None:
    """Records the ids of all items, so that copies of them are refused from now on."""
    if work.subject is not None:
        warehouse = work.context.warehouse
        items.collect(warehouse, work.erasure, work.subject)
        items.collect_from_marts(work.context.read, warehouse, work.erasure, work.subject)


def rename_variants(work: Work) -> None:
    """Gives variants with a title or exemplar of the subject those of another event; notes which variants
    and issues are erased as a whole."""
    warehouse, chosen = work.context.warehouse, set(work.subject.variants if work.subject else ())
    found = variants.affected(warehouse, work.erasure, work.texts)
    gone = sorted(chosen | set(found.gone))
    more = variants.issues_without_variants(warehouse, work.project_id, gone)
    work.erasure = replace(
        work.erasure,
        variants=gone,
        renamed_variants=[one for one in found.renamed if one not in chosen],
        issues=sorted({*work.erasure.issues, *more}),
    )
    variants.rename(warehouse, work.erasure, work.texts, work.grouping.rules, work.goes_on)


def remove_comments(work: Work) -> None:
    """Removes comments that name the person."""
    work.replaced["comments"] = variants.remove_comments(
        work.context.warehouse, work.project_id, work.texts, work.goes_on
    )


def remove_names(work: Work) -> None:
    """Removes names of pages, tags and the like that name the person."""
    work.replaced["names"] = variants.remove_names(
        work.context.warehouse, work.project_id, work.texts, work.goes_on
    )


def remove_texts(work: Work) -> None:
    """Removes share links, alerts, notifications, tracker links and saved searches that name the subject."""
    warehouse, erasure = work.context.warehouse, work.erasure

    def erased(events: Collection[str]) -> Collection[str]:
        asked = {
            "project_id": erasure.project_id,
            "erasure_id": erasure.erasure_id,
            "events": [str(UUID(one)) for one in events],
        }
        rows = warehouse.rows(sql.query("events_of_erasure"), asked) if events else []
        return {row["item_id"].hex for row in rows}

    retitled = variants.issues_of(warehouse, erasure.project_id, erasure.renamed_variants)
    work.replaced |= work.context.state.erasures.remove_texts(
        Named(
            erasure.project_id,
            [issue_text(one) for one in erasure.issues],
            work.texts,
            erased,
            retitled=[issue_text(one) for one in retitled],
            is_whole=erasure.kind is Kind.PROJECT,
        )
    )
    counts = {place: count for place, count in work.replaced.items() if count}
    work.erasure = replace(work.erasure, replaced_counts=counts)


def record_later_copies(work: Work) -> None:
    """Records copies that were stored while a node did not know the ids yet."""
    is_first = work.erasure.reached is Step.COLLECTED
    since = work.erasure.at(Step.ASKED if is_first else Step.COLLECTED)
    assert since is not None
    removal.collect_later_copies(work.context.warehouse, work.erasure, since - BEFORE_ASKED)


def remove_items(work: Work) -> None:
    """Deletes the rows of all recorded items."""
    counts = removal.remove_items(work.context.warehouse, work.erasure, work.goes_on)
    _note_rows(work, counts)


def remove_project(work: Work) -> None:
    """Deletes the project's rows received before the request; of a deleted project, all."""
    counts = removal.remove_project(work.context.warehouse, work.erasure, work.goes_on)
    _note_rows(work, counts)


def _note_rows(work: Work, counts: dict[str, int]) -> None:
    if work.erasure.reached is Step.COLLECTED:
        work.erasure = replace(work.erasure, row_counts=counts)


def drop_variants(work: Work) -> None:
    """Removes the records of variants and issues that have no event any more. Another erasure may have taken
    an exemplar from this one's events meanwhile: that is replaced first."""
    warehouse, erasure = work.context.warehouse, work.erasure
    found = variants.affected(warehouse, erasure, ())
    again = [one for one in found.renamed if one not in erasure.variants]
    if again:
        named = replace(erasure, renamed_variants=again)
        variants.rename(warehouse, named, (), work.grouping.rules, work.goes_on)
    gone = sorted({*erasure.variants, *found.gone})
    if erasure.reached is Step.COLLECTED:
        variants.drop(warehouse, replace(erasure, variants=gone), work.goes_on)
    elif newly := sorted({*gone} - {*erasure.variants}):
        variants.drop(warehouse, replace(erasure, variants=newly, issues=()), work.goes_on)
    work.erasure = replace(erasure, variants=gone)


def record_variants_anew(work: Work) -> None:
    """Records variants that got events while some node still knew their former records."""
    warehouse, configuration = work.context.warehouse, work.grouping
    sightings = []
    for row in variants.without_record(warehouse, work.erasure):
        found = variant_of(msgspec.json.decode(row["payload"]), configuration.rules)
        occurred_at = warehouse_time(row["occurred_at"])
        event = {**row, "project_id": work.project_id, "occurred_at": occurred_at}
        sightings.append(Sighting(replace(found, variant_hash=row["variant_hash"]), event))
    if not sightings:
        return
    registry = VariantRegistry(warehouse, lambda _: configuration)
    rows, keys = registry.rows_of_new(sightings)
    for table, many in rows.items():
        warehouse.insert_rows(table, many)
    registry.assign(keys)


def forget_subject(work: Work) -> None:
    """Forgets whom the request named, and records in the activity log that the rows are gone."""
    state, erasure = work.context.state.erasures, work.erasure
    if (owner := state.organization_of(work.project_id)) is not None:
        total = sum(erasure.row_counts.values())
        state.complete(owner[0], erasure.sealed_id, f"{erasure.kind.value}, {total:,} rows")
    work.erasure = replace(erasure, sealed_id="")
