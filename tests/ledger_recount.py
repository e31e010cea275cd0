"""The delivery ledger recounted byte by byte out of raw rows, as slowly and plainly as can be."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from errata.warehouse.client import Row

EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def recounted(rows: Sequence[Row]) -> list[Row]:
    """One row a file, as the part delivery_files answers, in the order of its key."""
    told: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        name, day = named(row)
        told.setdefault((row["project_id"], day, row["host"], name), []).append(row)
    files: list[Row] = []
    for (project_id, day, host, name), same_name in told.items():
        known = sorted(
            (row["received_at"], row["byte_from"], row["file_id"]) for row in same_name if row["file_id"]
        )
        first_id = known[0][2] if known else ""
        for file_id in {row["file_id"] or first_id for row in same_name}:
            own = [row for row in same_name if (row["file_id"] or first_id) == file_id]
            key: Row = {"project_id": project_id, "day": day, "host": host, "file": name, "file_id": file_id}
            files.append(key | of_file(own, is_dated=name.startswith("errata-")))
    for file in files:
        later = [other for other in files if other["host"] == file["host"] and other["day"] > file["day"]]
        file["is_left_behind"] = any(
            other["last_received_at"] > file["last_received_at"] + timedelta(days=1) for other in later
        )
        tail = file["written_bytes"] - file["delivered_until"]
        is_lost = tail > 0 and (file["file_end"] != "" or file["is_left_behind"])
        file |= {
            "tail_bytes": tail,
            "is_cut_off": is_lost,
            "missing_bytes": file["gap_bytes"] + (tail if is_lost else 0),
            "waiting_bytes": 0 if is_lost else tail,
        }
    return sorted(files, key=lambda file: tuple(list(file.values())[:5]))


def named(row: Row) -> tuple[str, date]:
    name, received_at = str(row["file"]), row["received_at"]
    assert isinstance(received_at, datetime)
    if name.startswith("errata-") and name[17:21] == ".log":
        return name[:21], datetime.fromisoformat(name[7:17]).date()
    return name, received_at.date()


def of_file(rows: Sequence[Row], is_dated: bool) -> Row:
    copies: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key = row["batch_id"], row["byte_from"], row["byte_to"], row["file_end"]
        copies.setdefault(key, []).append(row)
    batches = [min(same, key=lambda row: row["received_at"]) for same in copies.values()]
    covered: Counter[int] = Counter()
    for batch in batches:
        covered.update(range(*range_of(batch)))
    until = max(covered, default=-1) + 1
    start = 0 if is_dated else min(covered, default=0)
    holes = [byte for byte in range(start, until) if byte not in covered]
    lags = sorted(
        max(0, (batch["received_at"] - batch["newest_logged_at"]) // timedelta(milliseconds=1))
        for batch in batches
        if batch["newest_logged_at"] > EPOCH
    )
    ends = [batch for batch in batches if batch["file_end"]]
    end = max(ends, key=lambda batch: (batch["received_at"], batch["file_end"]), default=None)
    reached_at = min(
        (batch["received_at"] for batch in batches if range_of(batch)[1] == until), default=EPOCH
    )
    return {
        "written_bytes": max(max(row["file_bytes"], row["byte_to"]) for row in rows),
        "delivered_until": until,
        "delivered_bytes": len(covered),
        "repeated_bytes": covered.total() - len(covered),
        "gap_bytes": len(holes),
        "gap_count": len(spans(holes)),
        "gaps": spans(holes),
        "accepted_count": sum(batch["accepted_count"] for batch in batches),
        "rejected_count": sum(batch["rejected_count"] for batch in batches),
        "set_aside_count": sum(batch["set_aside_count"] for batch in batches),
        "batch_count": len(batches),
        "repeated_batch_count": len(rows) - len(batches),
        "first_received_at": min(row["received_at"] for row in rows),
        "last_received_at": max(row["received_at"] for row in rows),
        "lag_ms_p50": percentile(lags, 0.5),
        "lag_ms_p95": percentile(lags, 0.95),
        "lag_ms_max": lags[-1] if lags else None,
        "hourly_lags": hourly(batches),
        "service": service(batches),
        "file_end": end["file_end"] if end is not None and end["received_at"] >= reached_at else "",
    }


def service(batches: Sequence[Row]) -> str:
    with_lines = {batch["service"] for batch in batches if batch["accepted_count"]}
    named = with_lines or {batch["service"] for batch in batches}
    return named.pop() if len(named) == 1 else "(several)"


def range_of(batch: Row) -> tuple[int, int]:
    lines = batch["accepted_count"] + batch["rejected_count"] + batch["set_aside_count"]
    if batch["file_end"] and not lines:
        return 0, 0
    return batch["byte_from"], batch["byte_to"]


def spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return found


def percentile(values: Sequence[int], share: float) -> int | None:
    """The smallest that so many are not above, to three digits; None of nothing."""
    if not values:
        return None
    value = values[max(0, math.ceil(share * len(values)) - 1)]
    kept = str(value)[:3]
    return int(kept.ljust(len(str(value)), "0"))


def hourly(batches: Sequence[Row]) -> list[tuple[datetime, int]]:
    longest: dict[datetime, int] = {}
    for batch in batches:
        if batch["newest_logged_at"] > EPOCH:
            hour = batch["received_at"].replace(minute=0, second=0, microsecond=0)
            lag = max(0, (batch["received_at"] - batch["newest_logged_at"]) // timedelta(milliseconds=1))
            longest[hour] = max(longest.get(hour, 0), lag)
    return sorted(longest.items())
