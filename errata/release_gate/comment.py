"""The gate's comment at a request to merge."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from errata.release_gate.answer import CANNOT_TELL, GOOD, WORSE, exit_code, figures
from errata.release_gate.markdown import code

MOST_ISSUES = 20
MOST_COMMITS = 3
COMMIT_LENGTH = 12
ISSUE_ID = re.compile(r"[0-9a-f]{16}")
HEADINGS = {GOOD: "Not worse", WORSE: "Worse", CANNOT_TELL: "Can't tell yet"}
UNKNOWN = {
    "no_commits": "don't know: no commits were sent for this release",
    "no_stack": "don't know: the latest event has no file of the application in its stack",
    "no_match": "don't know: no commit of this release changed a file of the stack",
    "ambiguous": "don't know: files of the stack match several files of the repository",
}


def marker(context: str) -> str:
    """A comment that begins with it is the gate's. A context holds nothing that could end it."""
    return f"<!-- errata verdict {context} -->"


def comment(told: Mapping[str, Any], issues: Mapping[str, Any], service_url: str, details_url: str) -> str:
    """`issues`: the service's answer about new and regressed issues; empty: it gave none."""
    lines = [f"**{HEADINGS[exit_code(told)]}:** release {code(str(told['release']))}{_beside(told)}", ""]
    lines += [f"- {line}" for line in figures(told)]
    if next_look_at := told.get("next_look_at"):
        lines.append(f"- next analysis: {code(str(next_look_at))}")
    for name, heading in (("new", "New issues"), ("regressed", "Regressed issues")):
        count = int(told.get(f"{name}_issue_count") or 0)
        lines += _issues(heading, issues.get(f"{name}_issues") or (), count, service_url)
    return "\n".join([*lines, "", f"[Details in Errata]({details_url})", ""])


def _beside(told: Mapping[str, Any]) -> str:
    where = f" in {code(str(told['environment']))}" if told.get("environment") else ""
    before = f", compared with {code(str(told['previous_release']))}" if told.get("previous_release") else ""
    return f"{where}{before}"


def _issues(heading: str, issues: Sequence[Mapping[str, Any]], count: int, url: str) -> Iterator[str]:
    """New issues decide nothing; that is said, since a list of errors looks like a reason."""
    if not count:
        return
    yield from ("", f"{heading} ({count}, not part of the verdict):", "")
    for issue in issues[:MOST_ISSUES]:
        yield f"- {_link(issue, url)}"
        yield f"  - {_suspects(issue)}"
    if count > len(issues[:MOST_ISSUES]):
        yield f"- and {count - len(issues[:MOST_ISSUES])} more"


def _link(issue: Mapping[str, Any], url: str) -> str:
    title, issue_id = code(str(issue.get("title") or "")), str(issue.get("id") or "")
    return f"[{title}]({url}/issues/{issue_id})" if ISSUE_ID.fullmatch(issue_id) else title


def _suspects(issue: Mapping[str, Any]) -> str:
    commits = [
        f"{_named(one, 'commit_id', COMMIT_LENGTH)} {_named(one, 'title')}, changed {_named(one, 'path')}"
        for one in issue.get("suspects") or ()
    ][:MOST_COMMITS]
    unknown = UNKNOWN.get(str(issue.get("unknown_because") or ""), "don't know")
    return f"Suspect commits: {'; '.join(commits) or unknown}"


def _named(fields: Mapping[str, Any], name: str, length: int | None = None) -> str:
    return code(str(fields.get(name) or "")[:length])
