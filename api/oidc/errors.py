"""Why a sign-in by the provider failed."""

from errata.errors import ErrataError


class ProviderFailed(ErrataError):
    """Base: the provider was not reached, or what it answered is no sign-in. `reason` is a word of the page's
    list of sentences, or empty."""

    code = "oidc_failed"
    reason = ""


class ProviderUnreachable(ProviderFailed):
    """No connection, no answer in time, or one that is not OpenID Connect."""

    code = "oidc_unreachable"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The sign-in provider can't be reached: {problem}")


class ProviderRefused(ProviderFailed):
    """The provider refused the request, or the person stopped there."""

    code = "oidc_refused"

    def __init__(self, error: str) -> None:
        super().__init__(f"The sign-in provider refused: {error}")


class IdTokenInvalid(ProviderFailed):
    """`reason`: issuer, audience, expired, nonce, algorithm, signature, subject or malformed."""

    code = "oidc_token_invalid"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"The ID token is invalid ({reason}): {detail}")
        self.reason = reason


class EmailNotVerified(ProviderFailed):
    code = "oidc_email_not_verified"

    def __init__(self) -> None:
        super().__init__("The sign-in provider hasn't verified the email address.")


class DomainNotAllowed(ProviderFailed):
    code = "oidc_domain_not_allowed"

    def __init__(self) -> None:
        super().__init__("Email addresses of this domain can't sign in here.")
