"""What a request to another service can fail with."""

from errata.errors import ErrataError


class OutgoingFailed(ErrataError):
    """Base: the other side was not reached, or not allowed, or answered what cannot be used."""

    code = "outgoing_failed"


class AddressRefused(OutgoingFailed):
    """The address is not one that this service may connect to."""

    code = "address_refused"

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"{host}: {reason}")
        self.host = host
        self.reason = reason


class NotReached(OutgoingFailed):
    """No connection, no answer in time, or one that breaks off."""

    code = "not_reached"

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"{host}: {reason}")
        self.host = host
        self.reason = reason


class ResponseUnusable(OutgoingFailed):
    """The answer is too large, or is not what its protocol says."""

    code = "answer_unusable"

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"{host}: {reason}")
        self.host = host
        self.reason = reason
