"""Names of releases for charts: short, and different where releases differ."""

from collections import Counter
from collections.abc import Sequence

PACKAGE_SIGN = "@"


def release_labels(releases: Sequence[str], longest: int) -> list[str]:
    """`shop 1.1.0`; the version alone if all are of one package and the names are too long."""
    return [" ".join(label.rsplit(PACKAGE_SIGN, 1)) for label in _short(releases, longest)]


def _short(releases: Sequence[str], longest: int) -> list[str]:
    short = [_cut(name, longest) for name in releases]
    if max(map(len, releases), default=0) <= longest:
        return short
    if len({name.rpartition(PACKAGE_SIGN)[0] for name in releases}) == 1:
        short = [_cut(name.rpartition(PACKAGE_SIGN)[2], longest) for name in releases]
    names_of = Counter(label for _, label in set(zip(releases, short, strict=True)))
    return [
        label if names_of[label] == 1 else "…" + name[1 - longest :]
        for name, label in zip(releases, short, strict=True)
    ]


def _cut(name: str, longest: int) -> str:
    """The version first: `storefr…@1.1.0`; of a long version both ends."""
    if len(name) <= longest:
        return name
    package, sign, version = name.rpartition(PACKAGE_SIGN)
    room = longest - len(sign + version) - 1
    if package and room > 0:
        return f"{package[:room]}…{sign}{version}"
    head = longest // 2
    return f"{name[:head]}…{name[head + 1 - longest :]}"
