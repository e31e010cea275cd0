"""Notifications in words, each with the page it is about."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from errata.state.notifications import Kind, Notification

MOST_A_PAGE = 50

SENTENCES: Mapping[Kind, Callable[[Notification], str]] = {
    Kind.ASSIGNED: lambda one: f"{one.actor} assigned {_issues(one, 'an issue')} to you",
    Kind.COMMENTED: lambda one: f"{one.actor} commented on an issue",
    Kind.REGRESSED: lambda one: "An issue assigned to you regressed",
    Kind.WOKE: lambda one: "An issue assigned to you is no longer ignored",
    Kind.FOLLOWED_ASSIGNED: lambda one: f"{one.actor} assigned {_issues(one, 'an issue')} that you follow",
    Kind.REOPENED: lambda one: f"{one.actor} reopened {_issues(one, 'an issue')} that you follow",
    Kind.ESCALATED: lambda one: "An issue that you follow escalates",
    Kind.ALERT: lambda one: f"Alert rule “{one.detail}” fired{_times(one)}",
    Kind.BUDGET_BREACHED: lambda one: f"Performance budget breached: {one.detail}",
    Kind.BUDGET_RECOVERED: lambda one: f"Performance budget recovered: {one.detail}",
    Kind.MONITOR_FAILING: lambda one: f"Monitor failing: {one.detail}",
    Kind.MONITOR_MISSED: lambda one: f"Monitor missed a run: {one.detail}",
    Kind.MONITOR_RECOVERED: lambda one: f"Monitor recovered: {one.detail}",
}
OF_FOLLOWERS = frozenset({Kind.FOLLOWED_ASSIGNED, Kind.REOPENED, Kind.ESCALATED})
# Their title is the monitor's name.
OF_MONITORS = frozenset({Kind.MONITOR_FAILING, Kind.MONITOR_MISSED, Kind.MONITOR_RECOVERED})
# Their `detail` is in the sentence.
OF_RULES = OF_MONITORS | {Kind.ALERT, Kind.BUDGET_BREACHED, Kind.BUDGET_RECOVERED}


def sentence(one: Notification) -> str:
    return SENTENCES[one.kind](one)


def further_detail(one: Notification) -> str:
    """What the sentence leaves out, such as the text of a comment."""
    return "" if one.kind in OF_RULES else one.detail


def address(one: Notification) -> str:
    """The issue or monitor, or what several or none have: the rule, or the list of one's issues."""
    project = f"/projects/{quote(one.project_slug, safe='')}"
    if one.issue_id:
        tab = "?tab=activity" if one.kind is Kind.COMMENTED else ""
        return f"{project}/issues/{one.issue_id}{tab}"
    if one.kind in OF_MONITORS and one.title:
        return f"{project}/monitors/{quote(one.title, safe='')}"
    if one.kind in OF_RULES:
        return f"{project}/alerts/{one.rule_id}" if one.rule_id else f"{project}/alerts"
    return f"{project}/issues" if one.kind in OF_FOLLOWERS else f"{project}/issues?query=assigned:me"


def _issues(one: Notification, single: str) -> str:
    return single if one.count == 1 else f"{one.count:,} issues"


def _times(one: Notification) -> str:
    return "" if one.count == 1 else f" {one.count:,} times"
