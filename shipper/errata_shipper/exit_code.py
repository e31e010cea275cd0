from enum import IntEnum


class ExitCode(IntEnum):
    """What the shipper's exit says to a supervisor; listed in docs/shipper-reference.md."""

    OK = 0
    CONFIGURATION = 2
    STORAGE_PATH = 3
    SERVER_UNREACHABLE = 4
    KEY_REFUSED = 5
    DIRECTORY_HELD = 6
