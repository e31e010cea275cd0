"""Errors of the shipper: facts as attributes, one stable `code` and one exit code a class."""

from collections.abc import Sequence
from pathlib import Path

from errata_shipper.exit_code import ExitCode


class ShipperError(Exception):
    code = "internal_error"
    exit_code = ExitCode.CONFIGURATION


class ConfigurationInvalid(ShipperError):
    code = "configuration_invalid"

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        self.path = path
        self.problems = list(problems)
        super().__init__("\n".join(f"{path}: {problem}" for problem in problems))


class StoragePathUnusable(ShipperError):
    """`message` is the specification's wording, `detail` and `remedy` are ours."""

    code = "storage_path_unusable"
    exit_code = ExitCode.STORAGE_PATH

    def __init__(self, message: str, path: Path, remedy: str) -> None:
        self.message = message
        self.path = path
        self.remedy = remedy
        super().__init__(f"{message}: {path}; {remedy}")


class DirectoryHeld(ShipperError):
    code = "directory_held"
    exit_code = ExitCode.DIRECTORY_HELD

    def __init__(self, path: Path, holder: str) -> None:
        self.path = path
        self.holder = holder
        super().__init__(
            f"another shipper ({holder}) is using {path}; stop it, or use a different storagePath"
        )


class RetryHeld(ShipperError):
    code = "retry_held"
    exit_code = ExitCode.DIRECTORY_HELD

    def __init__(self, path: Path, holder: str) -> None:
        self.path = path
        self.holder = holder
        super().__init__(f"another --retry-rejected ({holder}) is running in {path}; wait for it to finish")


class ServerUnreachable(ShipperError):
    """No trustworthy answer came; what was sent may or may not have been stored."""

    code = "server_unreachable"
    exit_code = ExitCode.SERVER_UNREACHABLE

    def __init__(self, what: str, remedy: str) -> None:
        self.what = what
        self.remedy = remedy
        super().__init__(f"{what}; {remedy}")


class KeyRefused(ShipperError):
    """The server is there, and does not take a key."""

    code = "key_refused"
    exit_code = ExitCode.KEY_REFUSED

    def __init__(self, what: str, remedy: str) -> None:
        self.what = what
        self.remedy = remedy
        super().__init__(f"{what}; {remedy}")


class FileReplaced(ShipperError):
    """The bytes before the checkpoint are no longer those that were delivered."""

    code = "file_replaced"

    def __init__(self, name: str, offset: int) -> None:
        self.name = name
        self.offset = offset
        super().__init__(f"{name} is not the file that was read up to byte {offset}")
