"""What the sending of an alert can fail with."""

from errata.errors import ErrataError


class NotDelivered(ErrataError):
    """The channel's server did not take the message; `retry_after_seconds` is what it asked for, or 0."""

    code = "not_delivered"

    def __init__(self, reason: str, retry_after_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_seconds = retry_after_seconds


class Undeliverable(NotDelivered):
    """The same message would be refused again, however often it is sent."""


class MayHaveArrived(NotDelivered):
    """The other side was given everything and did not say what it made of it."""
