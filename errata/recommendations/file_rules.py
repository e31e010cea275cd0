"""Rules about what single page loads loaded."""

from collections import Counter
from collections.abc import Iterator, Sequence

from errata.recommendations.measured import Measured, gathered
from errata.recommendations.recommendation import Recommendation, Rule, recommend
from errata.reports import formats
from errata.routes import template
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.performance.resources import MEDIUM_IMPACT_MS
from errata.warehouse.queries.performance.sampled_loads import PageLoad

# Text smaller than this gains little; compressed well it is a third of its size or less.
SMALL_TEXT_BYTES = 10_000
COMPRESSED_RATIO, COMPRESSED_TO = 0.9, 0.35
TEXT_TYPES = ("script", "style", "document", "api")
LARGE_IMAGE_BYTES = 200_000
LARGE_SCRIPTS_BYTES = 400_000
MANY_REQUESTS = 80
REPEATED_CALLS = 5
SMALL_PRELOAD_BYTES = 1_000


def of_files(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    for rule in (
        render_blocking,
        uncompressed,
        large_images,
        unused_preloads,
        repeated_calls,
        large_scripts,
        many_requests,
    ):
        yield from rule(loads)


def render_blocking(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    held = (
        Measured(file.url, load, (held_ms(file, load),), url=file.url)
        for load in loads
        for file in load.files
        if file.is_render_blocking
    )
    for found in gathered(held):
        (delay_ms,) = found.values
        if delay_ms >= MEDIUM_IMPACT_MS:
            said = (
                f"Blocks rendering for {formats.duration(delay_ms)} "
                f"(p75 of {formats.plural(found.load_count, 'load')})."
            )
            yield recommend(Rule.RENDER_BLOCKING, found, said, delay_ms)


def held_ms(file: LoadedFile, load: PageLoad) -> float:
    """What loads on after the first paint kept nothing back by it."""
    painted = file.end_ms if load.fcp_ms is None else load.fcp_ms
    return max(0.0, min(file.end_ms, painted) - file.offset_ms)


def uncompressed(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    plain = (
        Measured(file.url, load, (file.body_bytes, file.decoded_bytes), url=file.url)
        for load in loads
        for file in load.files
        if file.type in TEXT_TYPES
        and file.decoded_bytes >= SMALL_TEXT_BYTES
        and file.body_bytes >= COMPRESSED_RATIO * file.decoded_bytes
    )
    for found in gathered(plain):
        body, decoded = found.values
        said = f"{formats.size(body)} transferred for {formats.size(decoded)} of text (p75)."
        yield recommend(Rule.UNCOMPRESSED, found, said, None, body * (1 - COMPRESSED_TO))


def large_images(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    images = (
        Measured(file.url, load, (file.body_bytes,), url=file.url)
        for load in loads
        for file in load.files
        if file.type == "image" and file.body_bytes
    )
    for found in gathered(images):
        (body,) = found.values
        if body > LARGE_IMAGE_BYTES:
            said = f"The image is {formats.size(body)} (p75)."
            yield recommend(Rule.LARGE_IMAGE, found, said, None, body - LARGE_IMAGE_BYTES)


def unused_preloads(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    for found in gathered(one for load in loads for one in _fetched_anew(load)):
        preloaded, later_ms = found.values
        said = (
            f"Preloaded ({formats.size(preloaded)}), then fetched again {formats.duration(later_ms)} later "
            "when needed: the preload wasn't used."
        )
        yield recommend(Rule.UNUSED_PRELOAD, found, said, None, preloaded)


def _fetched_anew(load: PageLoad) -> Iterator[Measured]:
    """A preload that is used has one entry, and so has one that nothing asked for: only this is sure."""
    preloads = {
        file.url: file
        for file in load.files
        # A style sheet's own initiator is its link.
        if file.initiator == "link" and file.type != "style" and file.transfer_bytes >= SMALL_PRELOAD_BYTES
    }
    for file in load.files:
        preload = preloads.get(file.url)
        if preload is None or file.initiator == "link" or file.transfer_bytes < SMALL_PRELOAD_BYTES:
            continue
        later_ms = max(0.0, file.offset_ms - preload.offset_ms)
        yield Measured(file.url, load, (preload.transfer_bytes, later_ms), url=file.url)
        del preloads[file.url]


def repeated_calls(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    for found in gathered(one for load in loads for one in _calls(load)):
        count, spared_ms = found.values
        if count >= REPEATED_CALLS:
            said = f"Called {formats.count(count)} times per page load that calls it (p75)."
            yield recommend(Rule.REPEATED_CALLS, found, said, spared_ms)


def _calls(load: PageLoad) -> Iterator[Measured]:
    """Of one endpoint: calls for one thing of many each are what a list is asked for one by one."""
    calls: dict[str, list[LoadedFile]] = {}
    for file in load.files:
        if file.type == "api":
            calls.setdefault(endpoint_of(file), []).append(file)
    for endpoint, own in calls.items():
        spent_ms = sum(file.duration_ms for file in own)
        yield Measured(endpoint, load, (len(own), spent_ms * (len(own) - 1) / len(own)), url=own[0].url)


def endpoint_of(call: LoadedFile) -> str:
    """Host and route."""
    return call.host + template(call.url)


def large_scripts(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    scripts = (
        Measured(load.page, load, (sum(file.body_bytes for file in own), len(own)), load.page)
        for load in loads
        if (own := [file for file in load.files if file.type == "script"])
    )
    for found in gathered(scripts):
        size, count = found.values
        if size > LARGE_SCRIPTS_BYTES:
            said = (
                f"A page load takes {formats.size(size)} of compressed JavaScript in "
                f"{formats.plural(round(count), 'file')} (p75)."
            )
            saved = size - LARGE_SCRIPTS_BYTES
            yield recommend(Rule.LARGE_SCRIPTS, found, said, None, saved)


def many_requests(loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    counts = (Measured(load.page, load, (len(load.files),), load.page) for load in loads)
    hosts: dict[str, Counter[str]] = {}
    for load in loads:
        hosts.setdefault(load.page, Counter()).update(file.host for file in load.files)
    for found in gathered(counts):
        (count,) = found.values
        if count > MANY_REQUESTS:
            host, _ = hosts[found.subject].most_common(1)[0]
            said = f"A page load makes {formats.count(count)} requests (p75), most of them to {host}."
            yield recommend(Rule.MANY_REQUESTS, found, said)
