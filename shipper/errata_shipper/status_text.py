"""A status as people read it, and as programs do."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from errata_shipper.lag import Lag
from errata_shipper.lock import UNKNOWN
from errata_shipper.rejected import FOLDER_NAME
from errata_shipper.status import Rejected, Status

_COLUMNS = ("file", "position", "size", "behind", "lines", "seconds")


def text_of(status: Status, now: datetime) -> str:
    return "\n".join([*_heading(status, now), "", *_table(status)])


def json_of(status: Status) -> str:
    document = {
        "storage_path": str(status.storage_path),
        "server": status.server,
        "shipper": {"is_running": _is_running(status), "process": _process(status)},
        "tracker_problem": status.tracker_problem or None,
        "last_delivery": status.last_delivery,
        "last_error": status.last_error,
        "rejected_lines": None if status.rejected is None else status.rejected.reasons.total(),
        "rejected_reasons": None if status.rejected is None else status.rejected.reasons,
        "first_rejected_at": (status.rejected and status.rejected.first_at) or None,
        "last_rejected_at": (status.rejected and status.rejected.last_at) or None,
        "total": _fields(status.total),
        "files": [{"file": file.file_name, **_fields(file)} for file in status.files],
    }
    return json.dumps(document, indent=2)


def _heading(status: Status, now: datetime) -> Iterator[str]:
    yield f"storage path   {status.storage_path}"
    yield f"server         {status.server or 'unknown (unreadable configuration)'}"
    yield f"shipper        {_shipper(status)}"
    if status.tracker_problem:
        yield f"tracker        {status.tracker_problem}"
    yield f"last delivery  {_last(status.last_delivery, '{lines} of {file}', now)}"
    yield f"last error     {_last_error(status.last_error, now)}"
    yield f"rejected       {_rejected(status, now)}"


def _shipper(status: Status) -> str:
    if status.shipper is None:
        return "not running"
    return "not visible to this user" if status.shipper == UNKNOWN else f"running, process {status.shipper}"


def _is_running(status: Status) -> bool | None:
    return None if status.shipper == UNKNOWN else status.shipper is not None


def _process(status: Status) -> int | None:
    return status.shipper if isinstance(status.shipper, int) else None


def _last(entry: Mapping[str, Any] | None, form: str, now: datetime) -> str:
    if entry is None:
        return "none"
    known = {"at": "?", "lines": "?", "file": "?", "message": "?", **entry}
    known["lines"] = "1 line" if known["lines"] == 1 else f"{known['lines']} lines"
    return f"{known['at']}{_age(known['at'], now)}: {form.format_map(known)}"


def _last_error(entry: Mapping[str, Any] | None, now: datetime) -> str:
    if entry is None:
        return "none"
    at, since, resolved_at = (entry.get(name) for name in ("at", "since", "resolved_at"))
    going = f", failing since {since}{_age(since, now)}" if since and since != at else ""
    if resolved_at:
        going = f", resolved {resolved_at}{_age(resolved_at, now)}"
    return f"{at or '?'}{_age(at, now)}{going}: {entry.get('message', '?')}"


def _age(at: object, now: datetime) -> str:
    try:
        seconds = (now - datetime.fromisoformat(str(at))).total_seconds()
    except (ValueError, TypeError):
        return ""
    for unit, unit_seconds in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * unit_seconds:
            return f" ({seconds / unit_seconds:.0f}{unit} ago)"
    return f" ({max(0.0, seconds):.0f}s ago)"


def _rejected(status: Status, now: datetime) -> str:
    if status.rejected is None:
        return "not visible to this user"
    found = status.rejected
    if not found.reasons:
        return "none"
    count = found.reasons.total()
    lines = f"{'over ' if found.is_cut else ''}{count} line{'s' if count != 1 else ''}"
    reasons = ", ".join(f"{number} {reason}" for reason, number in found.reasons.most_common())
    where = f"in {status.storage_path / FOLDER_NAME}; deliver again with --retry-rejected"
    return f"{lines} ({reasons}){_rejected_when(found, now)} {where}"


def _rejected_when(found: Rejected, now: datetime) -> str:
    if not found.last_at:
        return ""
    last = f"{found.last_at}{_age(found.last_at, now)}"
    if found.first_at == found.last_at:
        return f" at {last}"
    return f", first {found.first_at}{_age(found.first_at, now)}, last {last},"


def _table(status: Status) -> Iterator[str]:
    if not status.files:
        yield "no log files yet"
        return
    rows = [_COLUMNS, *(_row(lag) for lag in [*status.files, status.total])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield _aligned(row, widths)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
    return "  ".join([row[0].ljust(widths[0]), *numbers])


def _row(lag: Lag) -> tuple[str, ...]:
    lines = (f"~{lag.line_count}" if lag.line_count else "?") if lag.is_estimated else str(lag.line_count)
    numbers = (str(lag.position), str(lag.size), str(lag.behind_bytes), lines, f"{lag.seconds:.0f}")
    return (lag.file_name, *numbers)


def _fields(lag: Lag) -> dict[str, Any]:
    return {
        "position_bytes": lag.position,
        "size_bytes": lag.size,
        "behind_bytes": lag.behind_bytes,
        "behind_lines": lag.line_count,
        "is_estimated": lag.is_estimated,
        "behind_seconds": round(lag.seconds, 1),
    }
