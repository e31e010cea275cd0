"""Decisions in words, for the timeline and for toasts."""

from collections.abc import Mapping
from typing import Any

from errata.workflow.vocabulary import DONE, Word


def sentence(word: Word, detail: Mapping[str, Any]) -> str:
    """What the actor did, without who: "resolved it in the next release, after shop@1.2"."""
    rest = _rest(word, detail)
    return f"{DONE[word]}{rest}"


def _rest(word: Word, detail: Mapping[str, Any]) -> str:
    match word:
        case Word.RESOLVE:
            return resolution(detail)
        case Word.IGNORE:
            return f" {ending(detail)}"
        case Word.ASSIGN:
            return f" to {detail.get('assignee', '')}"
        case Word.PRIORITIZE:
            chosen = detail.get("priority")
            return f" to {chosen}" if chosen else " back to computed"
        case Word.REGRESS:
            return f" in {detail['release']}" if detail.get("release") else ""
        case Word.WAKE:
            return f": {detail['reason']}" if detail.get("reason") else ""
    return ""


def resolution(detail: Mapping[str, Any]) -> str:
    """In what it was resolved: " in the next release, after shop@1.2", or nothing."""
    release = detail.get("release", "")
    match detail.get("in"):
        case "next":
            return f" in the next release after {release}"
        case "release":
            return f" in {release}"
    return f" as of {release}" if release else ""


def ending(detail: Mapping[str, Any]) -> str:
    """Of an ignoring: "until 10 more users are affected"."""
    if until := detail.get("until"):
        return f"until {str(until).replace('T', ' ').removesuffix('+00:00')} UTC"
    condition = detail.get("condition")
    if not condition:
        return "forever"
    if condition["kind"] == "escalating":
        return "until it escalates"
    noun = "events" if condition["kind"] == "events" else "users"
    window = condition.get("window_minutes", 0)
    within = f" within {_minutes(window)}" if window else ""
    return f"until {condition['count']:,} more {noun}{within}"


def deletion(actor: str, has_occurred_since: bool) -> str:
    """Of a deleted issue: what is left of it, or what brings it back."""
    if has_occurred_since:
        return f"deleted by {actor} and seen again since; only new events count"
    return f"deleted by {actor}; reappears as new if it recurs"


def _minutes(count: int) -> str:
    for unit, name in ((1440, "day"), (60, "hour")):
        if count % unit == 0:
            return f"{count // unit} {name}{'s' if count > unit else ''}"
    return f"{count} minutes"
