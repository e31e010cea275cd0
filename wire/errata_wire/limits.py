"""Sizes and counts on which SDK, shipper and server agree."""

import re

# A line of a log file or a delivery. The server's are settings; longer lines would only fill a host's disk.
LINE_MAX_BYTES = 4 << 20
# A line with a replay's recording: 10 MiB in base64.
RECORDING_LINE_MAX_BYTES = 14 << 20

# A delivery to the server, by its settings unless an operator changes them.
DELIVERY_MAX_BYTES = 16 << 20
DELIVERY_INFLATED_MAX_BYTES = 64 << 20
DELIVERY_LINES_MAX = 10_000

# An envelope's body, as sent and inflated, by default: for the intake of a host, and for the tunnel of an
# application, which takes a recording of 10 MiB with its description.
INTAKE_BODY_MAX_BYTES = 16 << 20
TUNNEL_BODY_MAX_BYTES = 11 << 20
# A request of OpenTelemetry, as sent and inflated: the protocol's own limit. A check-in by an address alone.
OTLP_MAX_BYTES = 20 << 20
CHECK_IN_MAX_BYTES = 100 << 10
ITEM_TYPE_MAX_LENGTH = 64

# Items of an application, and requests of an address, behind which a whole office may be.
INTAKE_ITEMS_PER_SECOND = 1000
TUNNEL_REQUESTS_PER_SECOND = 20
# How much of a rate may come at once, since errors and page loads come in bursts.
BURST_SECONDS = 10

# A recording's events, as sent and inflated: the limits of Sentry's Relay.
RECORDING_MAX_BYTES = 10 << 20
RECORDING_INFLATED_MAX_BYTES = 100 << 20

# Bytes given to a decompressor at once, and those it returns at most. The second is below what the server's
# `errata.allocation` gives back to the system, so a piece takes no new pages.
FED_BYTES = 64 << 10
PIECE_BYTES = 128 << 10
# Members of a gzip delivery or frames of a zstd delivery: each costs as much as kilobytes of lines.
DELIVERY_PARTS_MAX = 1_000
# Windows of zstd, as a power of two. RFC 9659 sets 8 MiB for HTTP, which the shipper keeps to; SDKs may not.
DELIVERY_WINDOW_LOG_MAX = 23
ENVELOPE_WINDOW_LOG_MAX = 25

# Matches at the start of a line with a replay's recording, within its first HEAD_BYTES.
RECORDING = re.compile(rb'\s{0,8}\{\s{0,8}"type"\s{0,8}:\s{0,8}"replay_recording"')
HEAD_BYTES = 100


def line_max_bytes(head: bytes) -> int:
    """The limit of a line that begins so, without its newline."""
    return RECORDING_LINE_MAX_BYTES if RECORDING.match(head) else LINE_MAX_BYTES


def item_line_max_bytes(item_type: str) -> int:
    return RECORDING_LINE_MAX_BYTES if item_type == "replay_recording" else LINE_MAX_BYTES
