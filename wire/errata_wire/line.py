"""How long a line of a log file or a delivery may be."""

import re

from errata_wire.limits import LINE_MAX_BYTES, RECORDING_LINE_MAX_BYTES

# Matches at the start of a line with a replay's recording, within its first HEAD_BYTES.
RECORDING = re.compile(rb'\s{0,8}\{\s{0,8}"type"\s{0,8}:\s{0,8}"replay_recording"')
HEAD_BYTES = 100


def max_bytes(head: bytes) -> int:
    """The limit of a line that begins so, without its newline."""
    return RECORDING_LINE_MAX_BYTES if RECORDING.match(head) else LINE_MAX_BYTES


def max_bytes_of_item(item_type: str) -> int:
    return RECORDING_LINE_MAX_BYTES if item_type == "replay_recording" else LINE_MAX_BYTES
