"""A file or call loaded by a page view."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file or a call. Offsets count from the start of the view."""

    type: str
    initiator: str
    url: str
    host: str
    offset_ms: float
    duration_ms: float
    transfer_bytes: int
    body_bytes: int
    decoded_bytes: int
    is_render_blocking: bool
    is_cached: bool

    @property
    def end_ms(self) -> float:
        return self.offset_ms + self.duration_ms

    @property
    def is_sized(self) -> bool:
        return self.body_bytes > 0 or self.decoded_bytes > 0
