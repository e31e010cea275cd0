"""The state of delivery in one sentence, with advice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata.reports import formats
from errata.warehouse.queries.delivery.ledger import HostRow, Summary

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind`: good, waiting (nothing is lost, somebody should look) or bad."""

    kind: str
    title: str
    notes: Sequence[str] = ()


def verdict(summary: Summary, stalled: Sequence[HostRow], within: str) -> Verdict:
    """`stalled` hosts reported bytes that they have not delivered, and then fell silent."""
    notes = list(_notes(summary, stalled, within))
    if summary.missing_bytes:
        return Verdict("bad", _loss(summary), notes)
    title = "All reported data has arrived"
    if not summary.waiting_bytes:
        return Verdict("waiting" if summary.silent_hosts else "good", title, notes)
    waiting = formats.size(summary.waiting_bytes)
    if stalled:
        return Verdict("waiting", f"Nothing is missing, but {waiting} is waiting on {names(stalled)}", notes)
    return Verdict(
        "waiting" if summary.silent_hosts else "good", f"{title}, except {waiting} in transit", notes
    )


def _loss(summary: Summary) -> str:
    parts = []
    if summary.gap_count:
        parts.append(formats.plural(summary.gap_count, "gap"))
    if summary.cut_off_count:
        parts.append(formats.plural(summary.cut_off_count, "cut-off end"))
    missing = formats.size(summary.missing_bytes)
    return f"{' and '.join(parts)}, {missing} missing on {_listed(summary.missing_hosts)}"


def _notes(summary: Summary, stalled: Sequence[HostRow], within: str) -> Iterator[str]:
    files = formats.plural(summary.file_count, "log file")
    hosts = formats.plural(summary.host_count, "host")
    yield (
        f"{formats.size(summary.delivered_bytes)} of {formats.size(summary.written_bytes)} delivered: "
        f"{files} from {hosts} {within}."
    )
    if summary.gap_count:
        yield (
            "If the file is still on its host, stop the shipper there, remove tracker.json and start it "
            "again: everything is delivered again, counted once, and the gap closes."
        )
    if stalled:
        yield (
            f"{names(stalled)} reported bytes that didn't arrive within an hour. Check that the "
            f"shipper is running "
            "and can reach this service."
        )
    if silent := [host for host in summary.silent_hosts if host not in stalled]:
        yield f"Nothing from {names(silent)} for over a day. Check whether it is running and connected."
    if summary.rejected_count:
        lines = formats.plural(summary.rejected_count, "line")
        yield f"{lines} rejected: kept in rejected/ on the host, each with its reason."


def unknown_hosts(servers: Sequence[str]) -> str:
    """A sentence about servers of events that are no host of a log file; empty: there are none."""
    if not servers:
        return ""
    if len(servers) == 1:
        does, these = "sends events but ships", "this name"
    else:
        does, these = "send events but ship", "these names"
    return (
        f"{_listed(servers)} {does} no log files under {these}: the events arrived in files of other hosts, "
        "or directly."
    )


def names(hosts: Sequence[HostRow]) -> str:
    return _listed([row.host for row in hosts])


def _listed(hosts: Sequence[str]) -> str:
    shown = [host if len(host) <= LONGEST_NAME else f"{host[: LONGEST_NAME - 1]}…" for host in hosts[:2]]
    if len(hosts) <= 2:
        return " and ".join(shown)
    return f"{', '.join(shown)} and {formats.plural(len(hosts) - 2, 'other')}"
