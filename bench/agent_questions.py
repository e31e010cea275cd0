"""Forty questions of a developer, asked of a running demonstration as an agent would: by tools of the
Model Context Protocol, each by a short script of calls, and compared with what REST answers.

`python -m bench.agent_questions --address URL --token TOKEN`; the token has the capabilities agent, read and
sql. Prints the median of calls a question, the largest answer, and what was answered wrongly.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from bench.figures import figure

MOST_BYTES, MOST_CALLS = 24_000, 4
ISSUES = 6

Rest = Callable[..., Any]
Question = tuple[str, Callable[["Agent"], Awaitable[Any]], Any]
"""What is asked, how an agent finds it, and the truth."""


class Agent:
    """`calls` and `largest`, in bytes, of the question that is asked."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.calls = self.largest = 0

    async def ask(self, tool: str, **given: Any) -> dict[str, Any]:
        result = await self._client.call_tool(tool, given)
        self.calls += 1
        size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode())
        self.largest = max(self.largest, size)
        assert not result.is_error, result.content
        return dict(result.structured_content or {})


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """The fields without who wrote them."""
    apart = {"untrusted", "from_account"}
    return {
        **{name: value for name, value in answer.items() if name not in apart},
        **{name: value for group in apart for name, value in answer.get(group, {}).items()},
    }


async def found(agent: Agent, title: str) -> str:
    """The id of the issue of this title, as somebody who knows only its title finds it."""
    words = " ".join(word for word in title.split() if word.isalnum())
    cursor = ""
    while True:
        page = await agent.ask("search_issues", query=words, cursor=cursor)
        for issue in map(plain, page["items"]):
            if issue["title"] == title:
                return str(issue["id"])
        cursor = page["next_cursor"] or ""
        if not cursor:
            raise LookupError(title)


def of_issue(issue: dict[str, Any], rest: Rest) -> list[Question]:
    title, path = issue["title"], f"/api/issues/{issue['id']}"
    detail = rest(path)
    event = rest(f"{path}/events", limit=1)["events"][0]
    whole = rest(f"/api/events/{event['event_id']}")["payload"]
    exception = whole["exception"]["values"][-1]
    crash = exception["stacktrace"]["frames"][-1] if exception.get("stacktrace") else {}
    different = rest(f"{path}/different")

    async def count(agent: Agent) -> Any:
        head = plain(await agent.ask("get_issue", issue_id=await found(agent, title)))
        return head["total_event_count"] >= detail["total_event_count"], head["first_release"]

    async def crash_place(agent: Agent) -> Any:
        shown = await agent.ask("get_event", issue_id=await found(agent, title))
        frames = [one["untrusted"] for one in shown["items"] if one["kind"] == "frame"]
        return frames[0].get("function") if frames else None

    async def message(agent: Agent) -> Any:
        shown = await agent.ask("get_event", issue_id=await found(agent, title))
        return next(one["untrusted"]["type"] for one in shown["items"] if one["kind"] == "exception")

    async def state(agent: Agent) -> Any:
        head = plain(await agent.ask("get_issue", issue_id=await found(agent, title)))
        return head["status"], head["actor"]

    async def in_common(agent: Agent) -> Any:
        shown = await agent.ask("get_differences", issue_id=await found(agent, title))
        return shown["verdict"], [plain(one)["value"] for one in shown["items"]]

    told = different["verdict"], [one["value"] for one in different["differences"]]
    return [
        (f"How often, and since which release: {title}", count, (True, detail["first_release"])),
        (f"Where does it crash: {title}", crash_place, crash.get("function")),
        (f"What is raised: {title}", message, exception["type"]),
        (f"Who decided about it: {title}", state, (detail["status"], detail["actor"])),
        (f"What do its users have in common: {title}", in_common, told),
    ]


def of_the_rest(project: str, rest: Rest) -> list[Question]:
    base = f"/api/projects/{project}"
    releases = rest(f"{base}/performance/releases")["releases"]
    pages = rest(f"{base}/performance/pages")["pages"]
    budgets = rest(f"{base}/performance/budgets")["budgets"]
    questions: list[Question] = []
    for release in releases[:4]:
        version = release["release"]
        truth = rest(f"{base}/performance/releases/{version}/verdict")

        async def verdict(agent: Agent, version: str = version) -> Any:
            shown = await agent.ask("get_release_verdict", version=version)
            return shown["verdict"], len(shown["new_issues"])

        told = truth["verdict"], len(truth["new_issues"])
        questions.append((f"Is {version} worse, and how many issues are new in it?", verdict, told))

    async def newest(agent: Agent) -> Any:
        return plain((await agent.ask("list_releases"))["items"][0])["release"]

    async def busiest(agent: Agent) -> Any:
        return plain((await agent.ask("list_pages"))["items"][0])["page"]

    async def slowest(agent: Agent) -> Any:
        shown, cursor = [], ""
        while True:
            answer = await agent.ask("list_pages", cursor=cursor)
            shown += [plain(one) for one in answer["items"]]
            cursor = answer["next_cursor"] or ""
            if not cursor:
                return max(shown, key=_lcp)["page"]

    async def missed(agent: Agent) -> Any:
        shown = (await agent.ask("list_budgets"))["items"]
        return sorted(plain(one)["name"] for one in shown if plain(one)["state"] == "missed")

    async def views(agent: Agent) -> Any:
        shown = await agent.ask("run_sql", sql="show tables")
        return "page_days" in {one["untrusted"]["name"] for one in shown["items"]}

    async def computed(agent: Agent) -> Any:
        return "select" in (await agent.ask("explain_number", question="page_metrics"))["statement"]

    return [
        *questions,
        ("Which release is the newest?", newest, releases[0]["release"]),
        ("Which page is the busiest?", busiest, pages[0]["page"]),
        ("Which page is the slowest to show its largest part?", slowest, max(pages, key=_lcp)["page"]),
        (
            "Which budgets are missed?",
            missed,
            sorted(one["name"] for one in budgets if one["state"] == "missed"),
        ),
        ("Can I query page loads by day?", views, True),
        ("How are these quantiles computed?", computed, True),
    ]


def _lcp(page: dict[str, Any]) -> float:
    return float(page.get("lcp_ms_p75") or 0)


@asynccontextmanager
async def connected(address: str, token: str) -> AsyncIterator[Agent]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        yield Agent(client)


async def asked(address: str, token: str, questions: list[Question]) -> list[str]:
    """What was answered wrongly."""
    calls, largest, wrong = [], 0, []
    async with connected(address, token) as agent:
        for text, script, truth in questions:
            agent.calls = 0
            answer = await script(agent)
            calls.append(agent.calls)
            largest = max(largest, agent.largest)
            if answer != truth:
                wrong.append(f"{text}: {answer!r}, not {truth!r}")
    figure("agent_calls", median(calls), "calls a question, median", most=max(calls), questions=len(calls))
    figure("agent_largest_answer", largest, "bytes")
    figure("agent_wrong_answers", len(wrong), "questions")
    return wrong + (["too many calls"] if median(calls) > MOST_CALLS or largest > MOST_BYTES else [])


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.agent_questions")
    for name in ("--address", "--token"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    client = httpx2.Client(
        base_url=given.address, headers={"Authorization": f"Bearer {given.token}"}, timeout=60
    )

    def rest(path: str, **parameters: Any) -> Any:
        return client.get(path, params=parameters).raise_for_status().json()

    (project,) = rest("/api/projects")["projects"]
    slug = project["slug"]
    issues = rest(f"/api/projects/{slug}/issues", sort="events", limit=50)["issues"]
    with_exception = [
        issue
        for issue in issues
        if rest(f"/api/issues/{issue['id']}/events", limit=1)["events"]
        and "exception" in _payload(rest, issue["id"])
    ]
    questions = [one for issue in with_exception[:ISSUES] for one in of_issue(issue, rest)]
    wrong = asyncio.run(asked(given.address, given.token, [*questions, *of_the_rest(slug, rest)]))
    for line in wrong:
        sys.stderr.write(line + "\n")
    return 1 if wrong else 0


def _payload(rest: Rest, issue_id: str) -> dict[str, Any]:
    (event,) = rest(f"/api/issues/{issue_id}/events", limit=1)["events"]
    payload = rest(f"/api/events/{event['event_id']}")["payload"]
    return payload if isinstance(payload, dict) else json.loads(payload)


if __name__ == "__main__":
    raise SystemExit(main())
