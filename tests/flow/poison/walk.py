"""Every page and every GET of REST of a project, with what they lead to."""

import csv
import html
import io
import json
import random
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

import urllib3
from fastapi.routing import APIRoute

from dashboards.app import ROUTERS
from tests.flow.poison.patience import allowed
from tests.flow.poison.site import Project, Site
from tests.flow.poison.values import MARKUP

SLOW_SECONDS = 10
# Of what has ids, each may be odd in its own way.
OF_A_KIND, OF_ONE_ADDRESS = 2, 1
MOST_PAGES = 120
AT_ONCE = 3
LINK = re.compile(r'(?:href|src|data-[a-z-]+)="(/(?!/)[^"]*)"')
VARIED = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,32}|\d+")
# Names of parameters whose values ask for another thing, not for another row of the same.
TELLING = ("tab", "metric", "format", "sort", "side", "by")
# Some ask for a signed-in user, and REST is asked with a key here.
LEFT_OUT = (
    "/static/",
    "/sign-in",
    "/api/docs",
    "/api/auth",
    "/api/0/",
    "/api/embed/",
    "/api/notifications",
    "/api/invitations",
)
OF_A_PERSON = "/subscription"
# Printing takes seconds of a core: as a page it shows the same.
PRINTED = "/report"
# Links there name what is meant.
NOT_ALONE = ("performance/page", "performance/release", "performance/reports/file")
MOST_QUERIES = 2
PARTS = ("pages", "rest")


@dataclass
class Walk:
    site: Site
    project: Project
    problems: list[str] = field(default_factory=list)
    requests: int = 0
    slowest: tuple[float, str] = (0.0, "")

    def run(self, parts: Sequence[str] = PARTS) -> None:
        if "pages" in parts:
            self._crawl()
        if "rest" in parts:
            self._ask_rest()

    def _crawl(self) -> None:
        """From the project's pages along links, a few of each kind."""
        slug = self.project.slug
        start = [f"/projects/{slug}/{page}" for page in _pages() if page not in NOT_ALONE]
        waiting = deque([*start, "/projects"])
        seen, kinds = set(waiting), Counter(map(_kind, waiting))
        with ThreadPoolExecutor(AT_ONCE) as threads:
            while waiting and self.requests < MOST_PAGES:
                now = [waiting.popleft() for _ in range(min(len(waiting), AT_ONCE * 4))]
                for body in threads.map(self._page, now):
                    for link in _links(body, slug):
                        most = OF_A_KIND if "{id}" in _kind(link) else OF_ONE_ADDRESS
                        if link not in seen and kinds[_kind(link)] < most:
                            seen.add(link)
                            kinds[_kind(link)] += 1
                            waiting.append(link)

    def _page(self, path: str) -> str:
        answer = self._judged(path, self.site.page)
        if answer is None or answer.status != 200 or "text/html" not in answer.headers["content-type"]:
            return ""
        body = answer.data.decode()
        if MARKUP[:13] in body:
            self.problems.append(f"GET {path} shows markup that was sent")
        return body

    def _ask_rest(self) -> None:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(self._rest, self._rest_paths()))

    def _rest(self, path: str) -> None:
        answer = self._judged(path, self.site.rest)
        if answer is None or answer.status != 200:
            return
        kind = answer.headers["content-type"].partition(";")[0]
        try:
            if kind == "application/json":
                json.loads(answer.data, parse_constant=_refuse)
            elif kind == "text/csv":
                lengths = {len(row) for row in csv.reader(io.StringIO(answer.data.decode(), newline=""))}
                if len(lengths) > 1:
                    self.problems.append(f"GET {path} has rows of {sorted(lengths)} columns")
        except ValueError as error:
            self.problems.append(f"GET {path} is no {kind}: {error}")

    def _rest_paths(self) -> Iterator[str]:
        """Each path of OpenAPI with ids that exist."""
        known = Known.of(self.site.json, self.project.slug)
        chance = random.Random(self.project.slug)
        for path, methods in self.site.json("/api/openapi.json")["paths"].items():
            if "get" not in methods or path.startswith(LEFT_OUT) or path.endswith(OF_A_PERSON):
                continue
            parameters = methods["get"].get("parameters", [])
            required = [each["name"] for each in parameters if each["in"] == "query" and each.get("required")]
            for number, (filled, values) in enumerate(known.filled(path, required)):
                queries = [*_queries(path, parameters, chance)]
                # Other rows of the same are asked for once.
                for query in queries if number == 0 else queries[:1]:
                    asked = "&".join(filter(None, (values, query)))
                    yield f"{filled}?{asked}".rstrip("?")

    def _judged(self, path: str, ask: Any) -> urllib3.BaseHTTPResponse | None:
        began = time.monotonic()
        self.requests += 1
        try:
            answer: urllib3.BaseHTTPResponse = ask(path)
        except urllib3.exceptions.HTTPError as error:
            self.problems.append(f"GET {path} was not answered: {type(error).__name__}")
            return None
        seconds = time.monotonic() - began
        self.slowest = max(self.slowest, (seconds, path))
        if seconds > allowed(SLOW_SECONDS):
            self.problems.append(f"GET {path} took {seconds:.0f} s")
        # An address that takes POST stands among the others.
        if answer.status not in (200, 303, 405):
            said = (
                self.site.tracebacks.last
                if answer.status >= 500
                else answer.data[:300].decode(errors="replace")
            )
            self.problems.append(f"GET {path} was answered {answer.status}: {said}")
        return answer


@cache
def _pages() -> tuple[str, ...]:
    """Below a project: those that need nothing but its name."""
    prefix = "/projects/{slug}/"
    routes = (route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
    paths = (route.path.removeprefix(prefix) for route in routes if "GET" in (route.methods or ()))
    return tuple(sorted({path for path in paths if "{" not in path and not path.startswith("/")}))


def _links(body: str, slug: str) -> Iterator[str]:
    for found in LINK.findall(body):
        path = html.unescape(found).partition("#")[0]
        other_project = path.startswith("/projects/") and not path.startswith(f"/projects/{slug}/")
        if other_project or path.startswith(LEFT_OUT):
            continue
        yield path.replace("format=pdf", "format=html") if PRINTED in path else path


def _kind(path: str) -> str:
    parts = urlsplit(path)
    names = sorted(
        pair if pair.startswith(TELLING) else pair.partition("=")[0]
        for pair in parts.query.split("&")
        if pair
    )
    return VARIED.sub("{id}", parts.path) + "?" + "&".join(names)


def _queries(path: str, parameters: list[dict[str, Any]], chance: random.Random) -> Iterator[str]:
    """None at all, and a few of what can be asked for."""
    schemas = {each["name"]: each["schema"] for each in parameters if each["in"] == "query"}
    if path.endswith(PRINTED):
        yield "format=html"
        return
    yield ""
    others = [
        f"{name}={value}"
        for name in ("format", "metric", "side", "by", "sort")
        for value in schemas.get(name, {}).get("enum", [])[1:]
    ]
    others += [f"period={period}" for period in ("1h", "731d") if "period" in schemas]
    others += ["limit=1" for _ in range("limit" in schemas)]
    yield from chance.sample(others, min(len(others), MOST_QUERIES))


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@dataclass(frozen=True)
class Known:
    """What a project has, as its own lists tell: sets of parameters that belong together."""

    sets: list[dict[str, str]]

    @classmethod
    def of(cls, get: Callable[[str], Any], slug: str) -> "Known":
        """`get` answers with the JSON of a path."""
        performance = f"/api/projects/{slug}/performance"
        issues = get(f"/api/projects/{slug}/issues?period=90d&limit=200")["issues"]
        pages = get(f"{performance}/pages?period=731d")["pages"]
        releases = get(f"{performance}/releases?period=731d")["releases"]
        return cls(
            [
                {"slug": slug},
                {"question": "page_metrics"},
                *(cls._of_issue(get, issue["id"]) for issue in [*issues[:2], *issues[-1:]]),
                *({"page": row["page"]} for row in pages[:3]),
                *(
                    {"id": row["view_id"]}
                    for page in dict.fromkeys(row["page"] for row in pages[:3])
                    for row in get(f"{performance}/loads?page={quote(page, safe='')}&period=731d")["loads"][
                        :2
                    ]
                ),
                *({"version": row["release"]} for row in [*releases[:2], *releases[-1:]] if row["release"]),
            ]
        )

    @staticmethod
    def _of_issue(get: Callable[[str], Any], issue_id: str) -> dict[str, str]:
        events = get(f"/api/issues/{issue_id}/events?limit=3")["events"]
        ids = [event["event_id"] for event in events]
        if not ids:
            return {"issue_id": issue_id}
        return {"issue_id": issue_id, "event_id": ids[0], "left": ids[0], "right": ids[-1]}

    def filled(self, path: str, required: list[str]) -> Iterator[tuple[str, str]]:
        """The path and its query, for each set that has what they need."""
        names = re.findall(r"{([a-z_]+)}", path)
        wanted = [name for name in (*names, *required) if name != "slug"]
        for values in self.sets if wanted else self.sets[:1]:
            have = {**self.sets[0], **values}
            if all(name in have for name in (*names, *required)):
                filled = path
                for name in names:
                    filled = filled.replace(f"{{{name}}}", quote(have[name], safe=""))
                yield filled, "&".join(f"{name}={quote(have[name], safe='')}" for name in required)
