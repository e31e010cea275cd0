"""The order of releases: by version where both have one (`shop@2.10.0` is 2.10.0 of shop)."""

import re
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any

from errata.search.terms import Operator

VERSION = re.compile(
    r"v?(?P<numbers>[0-9]{1,18}(\.[0-9]{1,18}){0,5})(-(?P<pre>[0-9A-Za-z.\-]+))?(\+.*)?", re.ASCII
)
COMPARISONS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.GREATER: gt,
    Operator.AT_LEAST: ge,
    Operator.LESS: lt,
    Operator.AT_MOST: le,
}
Order = tuple[tuple[int, ...], tuple[tuple[int, int, str], ...]]
# A release comes after all that lead to it.
RELEASED = ((2, 0, ""),)


def compares(release: str, operator: Operator, wanted: str) -> bool:
    """False where one of them has no version, or both name a package and it is not the same."""
    package, version = package_and_version(release)
    wanted_package, wanted_version = package_and_version(wanted)
    own, other = order(version), order(wanted_version)
    if own is None or other is None or (wanted_package and package.lower() != wanted_package.lower()):
        return False
    return COMPARISONS[operator](own, other)


def package_and_version(release: str) -> tuple[str, str]:
    package, _, version = release.rpartition("@")
    return package, version


def order(version: str) -> Order | None:
    """Sorts as semantic versions do; None for what is none."""
    match = VERSION.fullmatch(version)
    if match is None:
        return None
    numbers = [int(number) for number in match["numbers"].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    if not match["pre"]:
        return tuple(numbers), RELEASED
    return tuple(numbers), tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in match["pre"].split(".")
    )
