"""What hosts that are not the page's own cost its loads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address

from errata.recommendations.file_rules import held_ms
from errata.recommendations.measured import Measured, gathered
from errata.recommendations.recommendation import Recommendation, Rule, recommend
from errata.reports import formats
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.performance.sampled_loads import PageLoad

COSTLY_MS, COSTLY_BYTES = 100, 100_000
# Where registries sell names below these: shop.co.uk and other.co.uk are two sites.
SECOND_LEVEL = re.compile(r"(ac|co|com|edu|gob|gov|gv|ne|net|nom|or|org)\.[a-z]{2}")
Interval = tuple[float, float]


def third_parties(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    for found in gathered(one for load in loads for one in _hosts(load)):
        saved_ms, busy_ms, held, transferred, count, untold = found.values
        if saved_ms < COSTLY_MS and transferred < COSTLY_BYTES:
            continue
        said = (
            f"{_requests(count)} per load (p75), {formats.size(transferred)} transferred"
            f"{' (some sizes unknown)' if untold else ''}, loading for {formats.duration(busy_ms)}; "
            f"{formats.duration(held)} of it blocks the first paint."
        )
        yield recommend(Rule.THIRD_PARTY, found, said, saved_ms, transferred or None)


def _requests(count: float) -> str:
    return "1 request" if round(count) == 1 else f"{formats.count(count)} requests"


def _hosts(load: PageLoad) -> Iterator[Measured]:
    own_site = site(load.host)
    hosts: dict[str, list[LoadedFile]] = {}
    for file in load.files:
        if own_site and file.host and site(file.host) != own_site:
            hosts.setdefault(file.host, []).append(file)
    for host, files in hosts.items():
        held = max((held_ms(file, load) for file in files if file.is_render_blocking), default=0.0)
        longest = max(files, key=lambda file: file.duration_ms)
        values = (
            max(held, _alone_ms(load, host)),
            covered(_loading(files)),
            held,
            sum(file.transfer_bytes for file in files),
            len(files),
            sum(not file.is_sized for file in files),
        )
        yield Measured(host, load, values, url=longest.url)


def _alone_ms(load: PageLoad, host: str) -> float:
    """How long before the load event only this host's files were loading: what its absence could win."""
    if load.load_ms is None:
        return 0.0
    document = (0.0, load.ttfb_ms or 0.0)
    others = [document, *_loading(file for file in load.files if file.host != host)]
    own = _loading(file for file in load.files if file.host == host)
    return covered(others + own, load.load_ms) - covered(others, load.load_ms)


def _loading(files: Iterable[LoadedFile]) -> list[Interval]:
    return [(file.offset_ms, file.end_ms) for file in files]


def covered(intervals: Iterable[Interval], until: float = float("inf")) -> float:
    """Time in which at least one of them runs."""
    total, reached = 0.0, 0.0
    for start, end in sorted(intervals):
        total += max(0.0, min(end, until) - max(start, reached))
        reached = max(reached, min(end, until))
    return total


def site(host: str) -> str:
    """Host names that one owner has: the last two labels, three under a country's second level."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    labels = name.lower().rstrip(".").split(".")
    if len(labels) < 3 or _is_address(name):
        return name.lower()
    return ".".join(labels[-3:] if SECOND_LEVEL.fullmatch(".".join(labels[-2:])) else labels[-2:])


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
