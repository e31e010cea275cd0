"""Errors of an import."""

from errata.errors import ErrataError


class SentryUnusable(ErrataError):
    """Sentry could not be asked, or did not answer as documented. `status`: of its response; 0: none."""

    code = "sentry_unusable"

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(f"Can't read from Sentry: {reason}")
        self.reason = reason
        self.status = status


class ImportRefused(ErrataError):
    """An import that can't begin or go on as it was started."""

    code = "import_refused"

    def __init__(self, reason: str) -> None:
        super().__init__(f"Can't import: {reason}")
        self.reason = reason
