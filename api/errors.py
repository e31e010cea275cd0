"""What the API can say no with, beside what the core and the state store raise."""

from typing import ClassVar

from errata.errors import ErrataError


class InvalidApiKey(ErrataError):
    code = "invalid_api_key"

    def __init__(self) -> None:
        super().__init__("Invalid API Key")


class KeyNotVerified(InvalidApiKey):
    """The same answer where a client asked whether its key is valid."""

    extra: ClassVar = {"valid": False}


class ApplicationNotFound(ErrataError):
    code = "application_not_found"

    def __init__(self) -> None:
        super().__init__("Application Not Found")


class Forbidden(ErrataError):
    """Signed in, but not for this."""

    code = "forbidden"

    def __init__(self, needed: str) -> None:
        super().__init__(f"This requires {needed}.")
        self.needed = needed


class CsrfFailed(ErrataError):
    """A change asked for with a session's cookie, but not by one of our pages."""

    code = "csrf_failed"

    def __init__(self) -> None:
        super().__init__("The page has expired. Reload it and try again.")


class TooManyAtOnce(ErrataError):
    """Nothing was begun: the caller's other requests, or everybody's, are still worked on."""

    code = "too_many_at_once"

    def __init__(self) -> None:
        super().__init__("Too many concurrent requests. Wait for earlier ones to finish, then try again.")


class RouteNotFound(ErrataError):
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("Not Found")


class MethodNotAllowed(ErrataError):
    code = "method_not_allowed"

    def __init__(self, allowed: frozenset[str]) -> None:
        super().__init__(f"Method not allowed; use {' or '.join(sorted(allowed))}.")
        self.allowed = allowed


class BodyTooLarge(ErrataError):
    """A body over the limit of an endpoint that reads it whole."""

    code = "too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The request body is too large; the limit is {limit_bytes} bytes.")
        self.limit_bytes = limit_bytes


class IssueNotFound(ErrataError):
    """Unknown, or of another organization."""

    code = "issue_not_found"

    def __init__(self, issue_id: str) -> None:
        super().__init__("Issue Not Found")
        self.issue_id = issue_id


class VariantNotFound(ErrataError):
    """A variant that the issue does not have, or not any more."""

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
        super().__init__("Event Not Found")
        self.event_id = event_id


class DecidedSince(ErrataError):
    """A merge is taken back exactly, or not at all."""

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
