"""Reasons in words why each variant is in an issue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errata.warehouse.queries.issue.grouping import GroupedVariant, IssueGrouping, Part, PossibleDuplicate
from errata.warehouse.queries.vocabulary import issue_text

FRAMES_SHOWN = 12
DECISIONS = {
    "merge": "kept here since a merge",
    "unmerge": "kept here since an unmerge",
    "split": "moved here",
    "distinct": "kept here since this issue was marked as different from another",
}


@dataclass(frozen=True)
class ShownVariant:
    id: str
    variant: GroupedVariant
    rule: str
    frames: Sequence[str]
    source_lines: Sequence[str]
    template: str
    joins: str
    """When an event joins the issue, in a sentence."""
    placed: str
    merged_issue_id: str
    """The merged issue it came with; empty for one of the issue's own."""


@dataclass(frozen=True)
class ShownMergedIssue:
    id: str
    merged_issue: Part


@dataclass(frozen=True)
class ShownDuplicate:
    id: str
    duplicate: PossibleDuplicate
    percent: int
    frames: Sequence[str]
    same: str


@dataclass(frozen=True)
class ShownGrouping:
    variants: Sequence[ShownVariant]
    variant_count: int
    merged_issues: Sequence[ShownMergedIssue]
    duplicates: Sequence[ShownDuplicate]
    configuration: int


def grouping(found: IssueGrouping, configuration: int) -> ShownGrouping:
    merged_issue_ids = {part.issue_id for part in found.parts}
    return ShownGrouping(
        variants=[_variant(each, merged_issue_ids) for each in found.variants],
        variant_count=found.variant_count,
        merged_issues=[ShownMergedIssue(issue_text(part.issue_id), part) for part in found.parts],
        duplicates=[_duplicate(each) for each in found.duplicates],
        configuration=configuration,
    )


def _variant(variant: GroupedVariant, merged_issue_ids: set[int]) -> ShownVariant:
    why = variant.explanation
    rule = str(why.get("rule", ""))
    frames = [str(frame.get("used_as") or "") for frame in why.get("frames", ())]
    return ShownVariant(
        id=issue_text(variant.variant_hash),
        variant=variant,
        rule=f"{rule}: {why['project_rule']}" if "project_rule" in why else rule,
        # As stacks are read: the place of the error first.
        frames=[frame for frame in reversed(frames) if frame][:FRAMES_SHOWN],
        source_lines=[str(line) for line in why.get("source_lines", ())],
        template=str(why.get("template") or ""),
        joins=_joins(why),
        placed=DECISIONS.get(variant.placed_because, "placed manually") if variant.placed_because else "",
        merged_issue_id=issue_text(variant.own_issue_id) if variant.own_issue_id in merged_issue_ids else "",
    )


def _joins(why: Mapping[str, Any]) -> str:
    rule, source_lines = why.get("rule"), len(why.get("source_lines", ()))
    if rule in ("explicit fingerprint", "fingerprint rule"):
        return "An event joins this issue if its fingerprint is the same."
    types = len(why.get("types", ()))
    parts = [
        "its logger" if "logger" in why else "its types" if types > 1 else "its type" if types else "",
        "these frames" if why.get("frames") else "",
        ("this source line" if source_lines == 1 else "these source lines") if source_lines else "",
        "this message" if why.get("template") and not ("logger" in why and why.get("frames")) else "",
    ]
    *others, last = [part for part in parts if part] or ["its fingerprint"]
    if not others:
        return f"An event joins this issue if {last} is the same."
    return f"An event joins this issue if {', '.join(others)} and {last} are the same."


def _duplicate(duplicate: PossibleDuplicate) -> ShownDuplicate:
    reason: Mapping[str, Any] = duplicate.reason
    same = [
        words
        for name, words in (("same_place", "raised at the same location"), ("same_message", "same message"))
        if reason.get(name)
    ]
    return ShownDuplicate(
        id=issue_text(duplicate.issue_id),
        duplicate=duplicate,
        percent=round(100 * duplicate.score),
        frames=[str(frame["frame"]) for frame in reason.get("frames", ())],
        same=", ".join(same),
    )
