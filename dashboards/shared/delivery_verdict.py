"""The state of delivery in one sentence, with advice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.period import HOUR
from errata.reports import formats
from errata.shortened import shortened
from errata.warehouse.queries.delivery.ledger import HostRow, Summary, summary
from errata.warehouse.queries.delivery.usage import Refusal

LONGEST_NAME = 60
AFTER_REFUSAL = "Shippers deliver them again; SDKs that send by DSN drop them."
OVER_LIMIT_ADVICE = f"{AFTER_REFUSAL} Sample noisy events, or raise the limit."
# Title and remedy by reason.
REASON_WORDS = {
    "rate_limited": ("Deliveries over the lines per minute", OVER_LIMIT_ADVICE),
    "project_rate_limited": ("Deliveries over the limit of the project", OVER_LIMIT_ADVICE),
    "service_rate_limited": ("Deliveries over the limit of the service", OVER_LIMIT_ADVICE),
    "spike_rate_limited": (
        "Deliveries in a spike",
        f"Spike protection: far more lines per minute than in the project's last week. {AFTER_REFUSAL}",
    ),
    "disk_full": (
        "Deliveries while the service's disk is nearly full",
        "Shippers deliver them again. Free up disk space, or use a larger disk.",
    ),
    "invalid_api_key": (
        "Deliveries with a replaced API key",
        "Give the shipper the current API key. Settings → API keys lists the hosts and their keys.",
    ),
    "application_not_found": (
        "Unknown application key",
        "The key was revoked, replaced more than 30 days ago, or is of another organization.",
    ),
    "invalid_json": ("Lines that aren't JSON", "Another program writes to the log file."),
    "invalid_item": ("Lines that aren't valid items", "The shipper keeps them in rejected/ on their host."),
    "line_too_large": ("Lines over the size limit", "Send smaller payloads, or raise the limit."),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind`: good, quiet (nothing arrives), waiting (nothing is lost, somebody should look) or bad."""

    kind: str
    title: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class HostVerdict:
    """`kind`: as that of all hosts, where `bad` is also a host of which something is refused."""

    kind: str
    word: str


def host_verdict(row: HostRow | None, is_refused: bool, now: datetime) -> HostVerdict:
    """None: the host is known by its refused deliveries alone. `is_refused`: at present."""
    if is_refused or row is None:
        return HostVerdict("bad", "refused")
    if row.missing_bytes:
        return HostVerdict("bad", "missing")
    if row.is_silent(now):
        return HostVerdict("waiting", "silent")
    if row.is_stalled(now):
        return HostVerdict("waiting", "waiting")
    if row.is_quiet(now):
        return HostVerdict("quiet", "quiet")
    return HostVerdict("good", "delivering")


def verdict(hosts: Sequence[HostRow], refused: Sequence[Refusal], now: datetime, within: str) -> Verdict:
    """`refused`: at present. `stalled` hosts reported bytes that they have not delivered, and fell silent."""
    found = summary(hosts, now)
    stalled = [row for row in hosts if row.is_stalled(now)]
    notes = [*_refused(refused), *_notes(found, stalled, within)]
    if found.missing_bytes:
        return Verdict("bad", _loss(found), notes)
    if refused:
        return Verdict("waiting", "Data was refused in the last 15 minutes", notes)
    title = "All reported data has arrived"
    waiting = formats.size(found.waiting_bytes)
    if stalled:
        return Verdict("waiting", f"Nothing is missing, but {waiting} is waiting on {names(stalled)}", notes)
    if found.waiting_bytes:
        title = f"{title}, except {waiting} in transit"
    if silent := found.silent_hosts:
        since = formats.minute(max(row.last_received_at for row in silent))
        return Verdict("waiting", f"{title}, but nothing from {names(silent)} since {since}", notes)
    if quiet := [row for row in hosts if row.is_quiet(now)]:
        latest = formats.minute(max(row.last_received_at for row in quiet))
        return Verdict("quiet", f"{title}, and nothing from {names(quiet)} since {latest}", notes)
    return Verdict("good", title, notes)


def _refused(refused: Sequence[Refusal]) -> Iterator[str]:
    for reason in dict.fromkeys(one.reason for one in refused):
        same = [one for one in refused if one.reason == reason]
        count = formats.count(sum(one.refused_count for one in same))
        latest = formats.minute(max(one.last_refused_at for one in same))
        title, remedy = REASON_WORDS.get(reason, (reason, ""))
        yield f"{title}: {count}, the latest on {latest}. {remedy}"


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
    host_count = formats.plural(summary.host_count, "host")
    yield (
        f"{formats.size(summary.delivered_bytes)} of {formats.size(summary.written_bytes)} delivered: "
        f"{files} from {host_count} {within}."
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
    silent = [row for row in summary.silent_hosts if row not in stalled]
    if unknown := [row for row in silent if not row.has_habit]:
        yield f"Nothing from {names(unknown)} for over a day. Check whether it is running and connected."
    if unusual := [row for row in silent if row.has_habit]:
        longest = max(row.longest_silence for row in unusual)
        hours = formats.plural(int(longest / HOUR), "hour")
        yield (
            f"Nothing from {names(unusual)} for longer than at any time in two weeks (at most {hours}). "
            f"Check that "
            "the shipper is running and can reach this service."
        )
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
    shown = [shortened(host, LONGEST_NAME) for host in hosts[:2]]
    if len(hosts) <= 2:
        return " and ".join(shown)
    return f"{', '.join(shown)} and {formats.plural(len(hosts) - 2, 'other')}"
