"""Level and status of the issue, with the decision behind the status."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.warehouse.queries.issue.state import IssueState
from errata.workflow.vocabulary import Word
from errata.workflow.wording import deletion, ending, resolution


def _status(request: IssueRequest) -> Mapping[str, object]:
    state = request.head.state
    is_deleted = state.state == Word.DELETE
    words = deletion(state.actor, request.head.last_seen > state.acted_at) if is_deleted else _words(state)
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


FRAGMENT = Fragment("issue/head/status.html", _status, styles=("workflow.css",), scripts=("workflow.js",))
