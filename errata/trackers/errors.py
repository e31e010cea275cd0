"""What a tracker can say no with, told so that people know what to do."""

from errata.errors import ErrataError


class TrackerRefused(ErrataError):
    """The tracker answered, but not with what was asked for."""

    code = "tracker_refused"

    def __init__(self, tracker: str, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.tracker = tracker
        self.status = status


class TrackerBusy(TrackerRefused):
    """Asked too often: it says when to come back."""

    code = "tracker_busy"

    def __init__(self, tracker: str, status: int, retry_after_seconds: int) -> None:
        super().__init__(
            tracker, status, f"{tracker} is rate limiting requests; try again in {retry_after_seconds} s."
        )
        self.retry_after_seconds = retry_after_seconds
