"""How lines by the day of their log file and lines by time of receipt add up, in words."""

from collections.abc import Iterable

from errata.reports import formats
from errata.warehouse.queries.delivery.usage import LineSources


def line_words(found: Iterable[LineSources]) -> str:
    sources = list(found)
    parts = [
        (sum(one.period_count for one in sources), "from log files of this period"),
        (sum(one.other_count for one in sources), "from log files of other days"),
        (sum(one.repeated_count for one in sources), "delivered again and not counted above"),
        (sum(one.direct_count for one in sources), "sent directly, without a log file"),
    ]
    total = sum(count for count, _ in parts)
    if not total:
        return "0 lines were accepted in the last 24 hours."
    listed = " + ".join(f"{formats.count(count)} {words}" for count, words in parts if count)
    return f"{formats.plural(total, 'line was', 'lines were')} accepted in the last 24 hours: {listed}."
