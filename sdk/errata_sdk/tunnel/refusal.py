from collections.abc import Mapping


class Refused(Exception):
    """What is not taken: the status and the sentence the browser is answered with."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        super().__init__(detail)
