"""Seeds delivered side by side, which share a build, its checks and a walk through every page."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tests.flow.poison.assets import problems_of_assets
from tests.flow.poison.neighbor import Neighbor
from tests.flow.poison.recount import Recount, compared
from tests.flow.poison.seed import Delivery, Seed
from tests.flow.poison.site import Project, Site
from tests.flow.poison.walk import PARTS, Walk

SENDERS = 4


@dataclass
class Found:
    """What went wrong with a block of seeds, and how much was tried."""

    seeds: Sequence[Seed]
    problems: list[str] = field(default_factory=list)
    line_count: int = 0
    request_count: int = 0
    slowest: tuple[float, str] = (0.0, "")


def poison(site: Site, neighbor: Neighbor, seeds: Sequence[Seed], *, is_brief: bool = False) -> Found:
    """Delivers the seeds to two projects of their own, builds, checks, and looks at everything; in brief,
    at the pages of one and at what REST says of the other."""
    found, recount = Found(seeds), Recount()
    names = [f"Seed {seeds[0].number} {word}" for word in ("one", "two")]
    projects = [site.create_project(name) for name in names]
    for number, seed in enumerate(seeds):
        own, other = projects if number % 2 == 0 else projects[::-1]
        found.line_count += _deliver(site, recount, seed, (own, other, neighbor.project), neighbor.ids)
    found.problems.extend(recount.problems)
    # Counts must be the same at the live edge and in the marts.
    for project in projects:
        found.problems.extend(compared(site, recount, project))
    found.problems.extend(problems_of_assets(site))
    for project in projects:
        found.problems.extend(compared(site, recount, project))
    for project, parts in zip(projects, (("pages",), ("rest",)) if is_brief else (PARTS, PARTS), strict=True):
        found.problems.extend(_walked(site, project, found, parts))
    try:
        found.problems.extend(neighbor.problems())
    except AssertionError as error:
        found.problems.append(f"the neighbor's figures were not answered: {error}")
    return found


def _deliver(
    site: Site, recount: Recount, seed: Seed, projects: Sequence[Project], foreign: tuple[str, ...]
) -> int:
    by_key = {project.app_key: project for project in projects}
    deliveries = list(seed.deliveries(datetime.now(UTC), tuple(by_key), foreign))

    def send(delivery: Delivery) -> tuple[int, bytes]:
        answer = site.deliver(projects[0], delivery)
        return answer.status, answer.data

    with ThreadPoolExecutor(SENDERS) as threads:
        for delivery, (status, body) in zip(deliveries, threads.map(send, deliveries), strict=True):
            if status >= 500:
                recount.problems.append(f"seed {seed.number}: {site.tracebacks.last}")
            recount.note(status, body, list(delivery.lines), by_key, projects[0])
    return sum(len(delivery.lines) for delivery in deliveries)


def _walked(site: Site, project: Project, found: Found, parts: Sequence[str]) -> Iterator[str]:
    walk = Walk(site, project)
    try:
        walk.run(parts)
    except AssertionError as error:
        yield f"a list of {project.slug} was not answered: {error}"
    found.request_count += walk.requests
    found.slowest = max(found.slowest, walk.slowest)
    yield from walk.problems
