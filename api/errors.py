"""Errors of the API, beside those that the core and the state store raise."""

from typing import ClassVar

from errata.errors import ErrataError


class InvalidApiKey(ErrataError):
    code = "invalid_api_key"

    def __init__(self) -> None:
        super().__init__("Invalid API Key")


class KeyNotVerified(InvalidApiKey):
    """The error of an invalid key where a client asks whether its key is valid."""

    extra: ClassVar = {"valid": False}


class ApplicationNotFound(ErrataError):
    code = "application_not_found"

    def __init__(self) -> None:
        super().__init__("Application Not Found")


class Forbidden(ErrataError):
    """Signed in, but not permitted."""

    code = "forbidden"

    def __init__(self, needed: str) -> None:
        super().__init__(f"This requires {needed}.")
        self.needed = needed


class NoMailServer(ErrataError):
    code = "no_mail_server"

    def __init__(self) -> None:
        super().__init__("This service doesn't send mail. Ask an owner for a password link.")


class CsrfFailed(ErrataError):
    """A change requested with a session's cookie, but not by one of our pages."""

    code = "csrf_failed"

    def __init__(self) -> None:
        super().__init__("The page has expired. Reload it and try again.")


class TooManyAtOnce(ErrataError):
    """The caller, or the service, has too many requests in progress; nothing was begun."""

    code = "too_many_at_once"

    def __init__(self) -> None:
        super().__init__("Too many concurrent requests. Wait for earlier ones to finish, then try again.")


class RouteNotFound(ErrataError):
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("Not found")


class MethodNotAllowed(ErrataError):
    code = "method_not_allowed"

    def __init__(self, allowed: frozenset[str]) -> None:
        super().__init__(f"Method not allowed; use {' or '.join(sorted(allowed))}.")
        self.allowed = allowed


class BodyTooLarge(ErrataError):
    """A body over the limit of an endpoint that reads all of it."""

    code = "too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The request body is too large; the limit is {limit_bytes} bytes.")
        self.limit_bytes = limit_bytes


class IssueNotFound(ErrataError):
    """Unknown, or of another organization."""

    code = "issue_not_found"

    def __init__(self, issue_id: str) -> None:
        super().__init__("Issue not found")
        self.issue_id = issue_id


class VariantNotFound(ErrataError):
    """A variant that the issue does not have, or no longer has."""

    code = "variant_not_found"

    def __init__(self, variant: str) -> None:
        super().__init__(f"Variant {variant} doesn't belong to this issue.")
        self.variant = variant


class ActionNotFound(ErrataError):
    """An action of no issue of the project."""

    code = "action_not_found"

    def __init__(self) -> None:
        super().__init__("Action not found in this project.")


class EventNotFound(ErrataError):
    """Unknown, of another organization, or expired."""

    code = "event_not_found"

    def __init__(self, event_id: str) -> None:
        super().__init__("Event not found")
        self.event_id = event_id


class MetricsRefused(ErrataError):
    """Neither the token of metrics, nor a program of this host."""

    code = "metrics_refused"

    def __init__(self) -> None:
        super().__init__("Metrics require ERRATA_API_METRICS_TOKEN as a Bearer token")


class AttachmentNotFound(ErrataError):
    """Unknown, of another organization, or expired."""

    code = "attachment_not_found"

    def __init__(self) -> None:
        super().__init__("Attachment not found")


class SourceBundleNotFound(ErrataError):
    code = "source_bundle_not_found"

    def __init__(self) -> None:
        super().__init__("Upload not found")


class UserNotFound(ErrataError):
    """No kept event of the project names this user."""

    code = "user_not_found"

    def __init__(self, key: str) -> None:
        super().__init__("User not found")
        self.key = key


class MonitorNotFound(ErrataError):
    """No kept check-in of the project names this monitor."""

    code = "monitor_not_found"

    def __init__(self, slug: str) -> None:
        super().__init__("Monitor not found")
        self.slug = slug


class ReplayNotFound(ErrataError):
    """No segment of the replay is stored: unknown, of another project, expired or erased."""

    code = "replay_not_found"

    def __init__(self, replay_id: str) -> None:
        super().__init__("Replay not found")
        self.replay_id = replay_id


class DecidedSince(ErrataError):
    """The merge was followed by other decisions, so it cannot be undone exactly."""

    code = "decided_since"

    def __init__(self, issue_id: str) -> None:
        super().__init__(
            f"Grouping of {issue_id} has changed since this merge. Undo the later changes first, or unmerge."
        )
        self.issue_id = issue_id


class NothingToRollBack(ErrataError):
    code = "nothing_to_roll_back"

    def __init__(self) -> None:
        super().__init__("No earlier grouping configuration to roll back to.")


class ErasureNotFound(ErrataError):
    """Of no project of the organization."""

    code = "erasure_not_found"

    def __init__(self) -> None:
        super().__init__("Erasure not found")


class ErasureNotConfirmed(ErrataError):
    """The subject was not repeated in `confirm`."""

    code = "erasure_not_confirmed"

    def __init__(self, expected: str) -> None:
        super().__init__(f"Nothing was erased: set `confirm` to {expected}.")


class NothingToErase(ErrataError):
    """The project has no rows of the subject."""

    code = "nothing_to_erase"

    def __init__(self) -> None:
        super().__init__("Nothing to erase: the project has no data about this subject.")
