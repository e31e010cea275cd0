"""The four ways in which two issues are related, each with its reason in words and numbers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.grouping.shape import VariantShape
from errata.grouping.similarity import Rarity, Trace, Weighed, shared_frames, similarity, trace_of
from errata.related.chance import least_lift, least_likely
from errata.related.overlap import Occurrences, Overlap
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.issue.related import (
    Begun,
    IssueSummary,
    OwnVariant,
    SharedMinutes,
    issues_begun_in_release,
    issues_by_variant,
    shapes_of_issue,
    variants_of_same_minutes,
    variants_of_same_users,
    variants_of_similar_stacks,
)
from errata.warehouse.queries.vocabulary import issue_text

USERS_OVER = timedelta(days=14)
MINUTES_OVER = timedelta(days=7)
MOST_SHOWN = 10
MOST_VARIANTS = 500
LEAST_LIFT = 2.0
LEAST_ALIKE = 0.3
MOST_OWN_STACKS = 10
# A release in which more of a project's issues began tells nothing of any two of them.
MOST_OF_RELEASE = 0.5


@dataclass(frozen=True)
class Related:
    """`score` orders them within their axis; it means nothing beside that of another."""

    id: str
    title: str
    culprit: str
    type: str
    level: str
    reason: str
    score: float


@dataclass(frozen=True)
class Axis:
    name: str
    title: str
    rule: str
    issues: tuple[Related, ...]


@dataclass(frozen=True)
class Subject:
    """The issue that is asked about."""

    warehouse: Warehouse
    merged: MergedIssue
    first_release: str
    first_seen: datetime
    variants: Sequence[OwnVariant]
    now: datetime

    @property
    def project_id(self) -> int:
        return self.merged.project_id

    @property
    def hashes(self) -> list[int]:
        return [variant.variant_hash for variant in self.variants]

    def issues_of(self, variants: Iterable[int]) -> dict[int, IssueSummary]:
        found = issues_by_variant(self.warehouse, self.project_id, list(variants))
        return {variant: other for variant, other in found.items() if other.issue_id != self.merged.issue_id}


def subject(
    warehouse: Warehouse, merged: MergedIssue, first_release: str, first_seen: datetime, now: datetime
) -> Subject:
    variants = shapes_of_issue(warehouse, merged)
    return Subject(warehouse, merged, first_release, first_seen, variants[:MOST_VARIANTS], now)


def same_users(about: Subject) -> Axis:
    since = about.now - USERS_OVER
    rows = variants_of_same_users(about.warehouse, about.project_id, about.hashes, since)
    issues = about.issues_of(row.variant_hash for row in rows)
    users: dict[int, set[int]] = defaultdict(set)
    others: dict[int, int] = defaultdict(int)
    for row in rows:
        if other := issues.get(row.variant_hash):
            users[other.issue_id] |= row.users
            others[other.issue_id] = max(others[other.issue_id], row.own_user_count)

    def related() -> Iterator[Related]:
        for other in {other.issue_id: other for other in issues.values()}.values():
            shared, people = len(users[other.issue_id]), rows[0].people_count
            own = max(others[other.issue_id], shared)
            reason = f"{shared} of {people} users also hit this ({_percent(shared / own)} of its users)"
            # Cosine: what everybody meets is related to nothing.
            yield _related(other, reason, shared / (people * own) ** 0.5)

    rule = f"Issues that also affect this issue's latest {100} users in the last {USERS_OVER.days} days."
    return Axis("same_user", "Same users", rule, _best(related()))


def same_minutes(about: Subject) -> Axis:
    since = about.now - MINUTES_OVER
    rows = variants_of_same_minutes(about.warehouse, about.project_id, about.hashes, since)
    overlaps = _significant_overlaps(rows, about.now)
    issues = about.issues_of(overlaps)
    best: dict[int, Related] = {}
    for variant, other in issues.items():
        overlap, own_count = overlaps[variant], len(rows[0].own)
        reason = (
            f"in {overlap.count} of the {own_count} minutes when this issue occurred; "
            f"{_number(overlap.expected)} expected by chance, so {overlap.lift:.1f} times "
            f"as often (odds by chance: {_odds(overlap.probability)})"
        )
        score = least_lift(overlap.occurrence_count, overlap.occurrence_count / overlap.lift)
        if other.issue_id not in best or score > best[other.issue_id].score:
            best[other.issue_id] = _related(other, reason, score)
    rule = (
        f"Issues that occurred in the same minutes in the last {MINUTES_OVER.days} days, at least twice "
        "as often as chance."
    )
    return Axis("same_time", "Same time", rule, _best(best.values()))


def _significant_overlaps(rows: Sequence[SharedMinutes], now: datetime) -> dict[int, Overlap]:
    """Of each variant whose minutes chance does not explain."""
    if not rows:
        return {}
    own = Occurrences(rows[0].own, int(now.timestamp()) // 60)
    likely = least_likely(rows[0].compared_count)
    overlaps = {row.variant_hash: own.overlap(row.minutes, LEAST_LIFT) for row in rows}
    return {
        variant: overlap
        for variant, overlap in overlaps.items()
        # Bursts that meet once say nothing of the next ones.
        if overlap.occurrence_count > 1 and overlap.lift >= LEAST_LIFT and overlap.probability <= likely
    }


def similar_stacks(about: Subject) -> Axis:
    own = [trace for variant in about.variants[:MOST_OWN_STACKS] if (trace := _trace(variant))]
    rows = variants_of_similar_stacks(about.warehouse, about.project_id, about.hashes) if own else []
    traces = {row.variant_hash: trace for row in rows if (trace := _trace(row))}
    issues = about.issues_of(traces)
    rarity = Rarity.of([*own, *traces.values()])
    weighed = [Weighed(trace.places, rarity) for trace in own]
    best: dict[int, Related] = {}
    for variant, other in issues.items():
        stack = Weighed(traces[variant].places, rarity)
        score, nearest = max(((similarity(mine, stack), mine) for mine in weighed), key=lambda pair: pair[0])
        if score >= LEAST_ALIKE and (other.issue_id not in best or score > best[other.issue_id].score):
            frames = ", ".join(frame.place for frame in shared_frames(nearest, stack, 3))
            best[other.issue_id] = _related(other, f"{_percent(score)} similar: both have {frames}", score)
    rule = "Issues with shared stack frames, weighted by rarity and closeness to the error."
    return Axis("similar_stack", "Similar stack", rule, _best(best.values()))


def same_release(about: Subject) -> Axis:
    release = about.first_release
    rows = (
        issues_begun_in_release(about.warehouse, about.project_id, release, about.merged.issue_id)
        if release
        else []
    )
    if not rows:
        return Axis("same_release", "Same release", "Issues first seen in the same release as this one.", ())
    begun, count = rows[0].begun_count + 1, rows[0].issue_count
    if begun > MOST_OF_RELEASE * count:
        rule = f"{begun:,} of all {count:,} issues were first seen in {release}, so sharing it means little."
        return Axis("same_release", "Same release", rule, ())
    rule = (
        f"{begun:,} of {count:,} issues were first seen in {release}, like this one; nearest in time first."
    )
    return Axis("same_release", "Same release", rule, _best(_begun(row, about) for row in rows))


def _begun(row: Begun, about: Subject) -> Related:
    """The nearer in time two issues began, the likelier they have one cause."""
    hours = abs((row.first_seen - about.first_seen).total_seconds()) / 3600
    reason = (
        f"also first seen in {about.first_release}, {_apart(row.first_seen, about.first_seen)}; "
        f"{row.event_count:,} events since"
    )
    return _related(row.issue, reason, 1 / (1 + hours))


AXES: tuple[Callable[[Subject], Axis], ...] = (same_users, same_minutes, similar_stacks, same_release)


def _best(found: Iterable[Related]) -> tuple[Related, ...]:
    return tuple(sorted(found, key=lambda one: (-one.score, one.id))[:MOST_SHOWN])


def _related(other: IssueSummary, reason: str, score: float) -> Related:
    return Related(
        id=issue_text(other.issue_id),
        title=other.title,
        culprit=other.culprit,
        type=other.type,
        level=other.level,
        reason=reason,
        score=round(score, 4),
    )


def _trace(variant: OwnVariant) -> Trace | None:
    return trace_of(VariantShape.from_json(variant.shape)) if variant.shape else None


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _number(value: float) -> str:
    return f"{value:,.1f}" if value >= 1 else f"{value:.2g}"


def _odds(probability: float) -> str:
    return f"1 in {1 / probability:,.0f}" if probability > 1e-6 else "less than 1 in 1,000,000"


def _apart(moment: datetime, own: datetime) -> str:
    seconds = abs((moment - own).total_seconds())
    word = "later" if moment > own else "earlier"
    for unit, name in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name} {word}"
    return "at the same time"
