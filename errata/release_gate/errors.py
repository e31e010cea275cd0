"""Why a forge did not get the gate's status or comment."""

from errata.errors import ErrataError


class ForgeNotTold(ErrataError):
    """The forge has no status or comment of the gate."""

    code = "forge_not_told"

    def __init__(self, forge: str, reason: str, status: int = 0) -> None:
        super().__init__(f"Can't write to {forge}: {reason}")
        self.reason = reason
        self.status = status
