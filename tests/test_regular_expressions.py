"""No text that somebody sends takes a regular expression time out of proportion to its length."""

import re
import time
from collections.abc import Callable

from tests.cases import each
from tests.patterns import Found, attacks, patterns_of

PROGRAMS = ("api", "errata", "dashboards", "errata_shipper", "errata_sdk", "errata_wire")
LENGTH, TIMES = 200, 10
# Ten times the length takes ten times as long, quadratic a hundred.
MOST_TIMES_LONGER = 30
# Below it the clock decides.
NOTICED_SECONDS = 0.0005
# Of the longest text that comes to a pattern whose texts are cut: on a busy machine.
MOST_SECONDS = 0.1

# Longest texts of patterns that may go over a text more than once, by the beginning of their name.
LONGEST = {
    # Headers are cut where they are read.
    "errata.user_agent.": 1000,
    # errata.grouping.frame cuts names and files, template.py messages before it takes them apart.
    "errata.grouping.frame.": 512,
    "errata.grouping.languages.": 512,
    "errata.grouping.template.": 1024,
    "errata.grouping.rule_text.": 256,
    # Cut to so much before a brace.
    "errata.source_maps.enclosing._HEADS": 400,
    "errata.source_maps.enclosing._NAMELESS": 400,
}
# Texts of ours and of the operator.
OWN = (
    *("errata.warehouse.", "errata.documentation.", "dashboards.documentation."),
    *("errata_shipper.duration.", "errata_shipper.intake.settings."),
)
# How patterns are used that are called by another name, most of them in a loop over several.
INDIRECTLY = {
    "errata.user_agent.BROWSERS": "search",
    "errata.user_agent.SYSTEMS": "search",
    "errata_wire.origin.ORIGIN": "fullmatch",
    "dashboards.sharing.addresses.BASE64": "finditer",
    "dashboards.sharing.addresses.BEYOND_ASCII": "finditer",
    "dashboards.sharing.addresses.ESCAPE": "finditer",
    "dashboards.sharing.allowed.FORMS": "fullmatch",
    "errata.grouping.details._CODES": "search",
    "errata.grouping.languages.file._INTERPRETER": "match",
    "errata.grouping.languages.file._LIBRARY": "match",
    "errata.grouping.languages.javascript._READ": "fullmatch",
    "errata.grouping.languages.javascript._ROOTS": "match",
    "errata.grouping.languages.javascript._SAID_OTHERWISE": "fullmatch",
    "errata.grouping.languages.other._ROOTS": "match",
    "errata.grouping.languages.php._ROOTS": "match",
    "errata.grouping.languages.python._ROOTS": "match",
    "errata.grouping.languages.ruby._ROOTS": "match",
    "errata.grouping.template._ADDRESS": "fullmatch",
    "errata.grouping.template._DATE": "fullmatch",
    "errata.grouping.template._EMAIL": "fullmatch",
    "errata.grouping.template._HOST": "fullmatch",
    "errata.grouping.template._IP": "fullmatch",
    "errata.grouping.template._NUMBER": "fullmatch",
    "errata.grouping.template._PLACEHOLDERS": "fullmatch",
    "errata.grouping.template._UUID": "fullmatch",
    "errata.search.parse.IDS": "fullmatch",
    "errata.search.tokens.END_OF_LISTED": "search",
    "errata.source_maps.bundle._DEBUG_ID": "finditer",
    "errata.source_maps.bundle._REFERENCE": "finditer",
    "errata.source_maps.enclosing._HEADS": "search",
    "errata.trackers.github.PATH": "fullmatch",
    "errata.trackers.gitlab.PATH": "fullmatch",
    "errata.trackers.jira.KEY": "fullmatch",
    "errata.trackers.jira.PATH": "fullmatch",
    "errata.trackers.linear.KEY": "fullmatch",
    "errata.trackers.linear.PATH": "fullmatch",
    "errata_wire.secret_text.KINDS": "finditer",
    "errata_wire.secret_text.NAMES": "search",
    "errata_wire.secret_text._NAME": "search",
    "errata_wire.secret_text._STRONG": "search",
    "errata_wire.secret_text._TIGHT": "match",
}
FOUND = [one for one in patterns_of(*PROGRAMS) if not one.name.startswith(OWN)]


def methods_of(found: Found) -> tuple[str, ...]:
    return found.methods or (INDIRECTLY[found.name.partition("[")[0]],)


def call_of(pattern: re.Pattern[str] | re.Pattern[bytes], method: str) -> Callable[[str], object]:
    is_bytes = isinstance(pattern.pattern, bytes)

    def call(text: str) -> object:
        given: object = text.encode() if is_bytes else text
        if method in ("sub", "subn"):
            return getattr(pattern, method)(b"" if is_bytes else "", given)
        result = getattr(pattern, method)(given)
        return list(result) if method == "finditer" else result

    return call


def seconds(call: Callable[[str], object], text: str, runs: int = 1) -> float:
    best = float("inf")
    for _ in range(runs):
        # Of this thread alone: other programs do not count.
        began = time.thread_time()
        call(text)
        best = min(best, time.thread_time() - began)
    return best


def slow_attack(pattern: re.Pattern[str] | re.Pattern[bytes], method: str) -> tuple[str, str, str] | None:
    """One that takes the pattern over thirty times as long for ten times the length."""
    call = call_of(pattern, method)
    for start, piece, end in attacks(pattern):
        short, long = (start + piece * (length // len(piece)) + end for length in (LENGTH, LENGTH * TIMES))
        if seconds(call, long) < NOTICED_SECONDS:
            continue
        taken = seconds(call, long, runs=5)
        if taken > NOTICED_SECONDS and taken > MOST_TIMES_LONGER * seconds(call, short, runs=9):
            return start, piece, end
    return None


@each("found", FOUND, ids=lambda found: found.name)
def test_time_grows_with_the_length_alone(found: Found) -> None:
    longest = next((most for name, most in LONGEST.items() if found.name.startswith(name)), None)
    for method in methods_of(found):
        slow = slow_attack(found.pattern, method)
        if slow is not None:
            assert longest is not None, f"{found.name}.{method} is not linear on {slow}"
            start, piece, end = slow
            text = (start + piece * longest)[: longest - len(end)] + end
            assert seconds(call_of(found.pattern, method), text, runs=3) < MOST_SECONDS, slow


@each(
    ("expression", "method"),
    [(r"a*a*b", "match"), (r"[\w.]+@\w", "search"), (r"/[^ ]*[?]", "sub"), (r"\d+(?=x)", "findall")],
)
def test_a_pattern_that_goes_back_over_its_text_is_found(expression: str, method: str) -> None:
    assert slow_attack(re.compile(expression), method) is not None


def test_patterns_are_found_with_the_methods_they_are_used_by() -> None:
    by_name = {found.name: found for found in FOUND}
    assert len(by_name) > 200
    assert by_name["api.ingest.addresses.WORD"].methods == ("sub",)
    assert by_name["errata.routes.UUID"].methods == ("fullmatch",)
    assert "errata_wire.secret_text._NAME" in by_name
    unknown = {found.name.partition("[")[0] for found in FOUND if not found.methods}
    assert unknown == set(INDIRECTLY), "name the method that a new pattern is used by"
