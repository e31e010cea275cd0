"""What a text names: issues, pages, endpoints and releases of a project; projects, places and documents."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import chain
from urllib.parse import quote, urlencode

from api.context import Context
from errata import places
from errata.clock import EPOCH
from errata.documentation.search import headings
from errata.period import Period
from errata.places import Place
from errata.search.parse import UNSEARCHABLE
from errata.search.pattern import Pattern
from errata.state.projects import Project
from errata.warehouse.at_once import at_once
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.performance.named import endpoints_named, pages_named
from errata.warehouse.queries.performance.release_starts import release_starts

MOST_OF_A_KIND = 8
MOST_CHARACTERS = 200
MOST_WORDS = 20
PERIOD = Period("90d")
# Pages of performance show these days unless an address says otherwise.
SHOWN_FOR = timedelta(days=14)
# What pages show of an issue's id has eight digits; shorter texts are more often words.
ISSUE_ID = re.compile("[0-9a-f]{6,16}", re.IGNORECASE)


class Kind(StrEnum):
    PLACE = "place"
    PROJECT = "project"
    ISSUE = "issue"
    PAGE = "page"
    ENDPOINT = "endpoint"
    RELEASE = "release"
    DOCS = "docs"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Found:
    """Something to go to. `detail` tells equal titles apart, and may be empty."""

    kind: Kind
    title: str
    detail: str
    address: str


def find(
    context: Context, others: Sequence[Project], text: str, project: Project | None, now: datetime
) -> list[Found]:
    """What has all words of the text, by kind. An empty text finds the places and projects, which are those
    that the caller sees; without a `project`, other kinds are not looked for."""
    words = UNSEARCHABLE.sub(" ", text[:MOST_CHARACTERS]).split()[:MOST_WORDS]
    found = [*_places(words, project), *_projects(others, words, project)]
    if not words:
        return found
    if project is None:
        return [*found, *_docs(words)]
    about = (context.read, project, words, now)
    # That of issues asks several questions itself, so it is the one that stays in this thread.
    questions: list[Callable[[], list[Found]]] = [
        lambda: list(_issues(*about)),
        lambda: list(_pages(*about)),
        lambda: list(_endpoints(*about)),
        lambda: list(_releases(*about)),
    ]
    return [*found, *chain.from_iterable(at_once(questions)), *_docs(words), *_searches(project, words)]


def project_address(slug: str) -> str:
    return f"/projects/{quote(slug, safe='')}"


def _places(words: Sequence[str], project: Project | None) -> list[Found]:
    listed = [*_places_of_project(project)] if project else []
    listed += (
        (place, place.path, "")
        for place in (places.PROJECTS, places.NOTIFICATIONS, places.DOCUMENTATION, places.API_REFERENCE)
    )
    listed += ((place, place.path, "Organization") for place in places.ORGANIZATION)
    matching = [
        (place, Found(Kind.PLACE, place.title, detail, address))
        for place, address, detail in listed
        if _has_words(f"{place.title} {place.words} {detail}", words)
    ]
    # What is called so goes before what is only looked for by that name.
    matching.sort(key=lambda pair: not _has_words(pair[0].title, words))
    found = [place for _, place in matching]
    return found[:MOST_OF_A_KIND] if words else found


def _places_of_project(project: Project) -> Iterator[tuple[Place, str, str]]:
    areas = (
        ("", places.SECTIONS),
        ("Performance", (*places.PERFORMANCE, places.SAVED_VIEWS)),
        (f"Settings of {project.name}", places.SETTINGS),
    )
    for detail, listed in areas:
        for place in listed:
            yield place, project_address(project.slug) + place.path, detail


def _projects(projects: Sequence[Project], words: Sequence[str], current: Project | None) -> list[Found]:
    return [
        Found(Kind.PROJECT, project.name, project.slug, project_address(project.slug))
        for project in projects
        if (current is None or project.id != current.id)
        and _has_words(f"{project.name} {project.slug}", words)
    ][:MOST_OF_A_KIND]


def _issues(warehouse: Warehouse, project: Project, words: Sequence[str], now: datetime) -> Iterator[Found]:
    """By words of title, culprit and type, as the issue list finds them, and by the ID's first digits."""
    searches = [" ".join(Pattern.exact(word).quoted for word in words)]
    if len(words) == 1 and ISSUE_ID.fullmatch(words[0]):
        searches.insert(0, f"issue:{words[0]}")
    seen = set[str]()
    for search in searches:
        filters = IssueFilters(PERIOD.of_events(now), text=search)
        for issue in issues_of_project(warehouse, project.id, filters, limit=MOST_OF_A_KIND).issues:
            if issue.id not in seen and len(seen) < MOST_OF_A_KIND:
                seen.add(issue.id)
                address = f"{project_address(project.slug)}/issues/{issue.id}"
                yield Found(Kind.ISSUE, issue.title, issue.culprit, address)


def _pages(warehouse: Warehouse, project: Project, words: Sequence[str], now: datetime) -> Iterator[Found]:
    since = PERIOD.at(now).since.date()
    for one in pages_named(warehouse, project.id, words, since, MOST_OF_A_KIND):
        named = urlencode({"page": one.page, **_period_of(one.last_day, now)})
        yield Found(Kind.PAGE, one.page, "", f"{project_address(project.slug)}/performance/page?{named}")


def _endpoints(
    warehouse: Warehouse, project: Project, words: Sequence[str], now: datetime
) -> Iterator[Found]:
    since = PERIOD.at(now).since.date()
    for one in endpoints_named(warehouse, project.id, words, since, MOST_OF_A_KIND):
        named = urlencode({"method": one.method, "path": one.route, **_period_of(one.last_day, now)})
        address = f"{project_address(project.slug)}/performance/endpoint?{named}"
        yield Found(Kind.ENDPOINT, f"{one.method} {one.route}".strip(), "", address)


def _period_of(last_day: date, now: datetime) -> dict[str, str]:
    return {"period": str(PERIOD)} if last_day < (now - SHOWN_FOR).date() else {}


def _releases(warehouse: Warehouse, project: Project, words: Sequence[str], now: datetime) -> Iterator[Found]:
    """The latest first. One without page loads has no page; its issues are listed."""
    known = facets(warehouse, [project.id], PERIOD.at(now).since).releases
    matching = [release for release in known if _has_words(release, words)][:MOST_OF_A_KIND]
    if not matching:
        return
    starts = sorted(release_starts(warehouse, project.id, EPOCH), key=lambda start: start.view_count)
    # The one with most of its page loads: a page that names none is of that with most loads of all releases.
    environments = {start.release: start.environment for start in starts}
    for release in matching:
        if release in environments:
            named = {"version": release, "environment": environments[release]}
            path = f"/performance/release?{urlencode({name: one for name, one in named.items() if one})}"
            yield Found(Kind.RELEASE, release, "", project_address(project.slug) + path)
        else:
            path = f"/issues?{urlencode({'release': release, 'status': 'all', 'period': str(PERIOD)})}"
            yield Found(Kind.RELEASE, release, "its issues", project_address(project.slug) + path)


def _docs(words: Sequence[str]) -> Iterator[Found]:
    """Sections of the documentation by their heading."""
    for match in headings(words, MOST_OF_A_KIND):
        is_page = match.section is match.document.sections[0]
        yield Found(Kind.DOCS, match.section.title, "" if is_page else match.document.title, match.address)


def _searches(project: Project, words: Sequence[str]) -> Iterator[Found]:
    """The lists that search for more than names."""
    text = " ".join(words)
    for section, what in (("issues", "issues"), ("users", "users")):
        address = f"{project_address(project.slug)}/{section}?{urlencode({'query': text})}"
        yield Found(Kind.SEARCH, f"Search {what} for “{text}”", "", address)


def _has_words(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word.casefold() in folded for word in words)
