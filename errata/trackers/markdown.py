"""The body of an issue in Markdown: what an event said stands in a fence, where it can call nobody."""

import re

from errata.trackers.tracker import NewIssue


def markdown(issue: NewIssue) -> str:
    longest = max((len(run) for run in re.findall("`+", issue.text)), default=0)
    fence = "`" * max(3, longest + 1)
    facts = "\n".join(f"- **{name}:** {_code(value)}" for name, value in issue.facts if value)
    return f"{fence}\n{issue.text}\n{fence}\n\n{facts}\n\n[Open in Errata]({issue.url})\n"


def _code(value: str) -> str:
    line = " ".join(value.split())
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"
