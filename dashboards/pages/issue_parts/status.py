"""Level and state, who brought it there, and what it waits for."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part
from errata.warehouse.queries.issue.state import IssueState
from errata.workflow.vocabulary import Word
from errata.workflow.wording import deletion, ending, resolution


def _ask(asked: Asked) -> Mapping[str, object]:
    state = asked.head.state
    is_deleted = state.state == Word.DELETE
    words = deletion(state.actor, asked.head.last_seen > state.acted_at) if is_deleted else _words(state)
    return {"state": state, "words": words}


def _words(state: IssueState) -> str:
    match state.status:
        case "resolved":
            return resolution(state.detail).strip()
        case "ignored":
            return ending(state.detail)
        case "regressed":
            seen = state.return_detail.get("release", "")
            return f"seen again{f' in {seen}' if seen else ''} after being resolved{resolution(state.detail)}"
    if state.state == Word.IGNORE:
        return f"no longer ignored: {state.return_detail.get('reason') or 'the ignore period ended'}"
    return ""


PART = Part("issue_parts/status.html", _ask, styles=("workflow.css",), scripts=("workflow.js",))
