from collections.abc import Mapping


class Refused(Exception):
    """A request that isn't accepted: the status, sentence and headers of its response."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        super().__init__(detail)
