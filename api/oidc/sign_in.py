"""The two steps of a sign-in by the provider: the browser goes there, and returns with a code."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from api.oidc.configuration import Configuration
from api.oidc.errors import (
    DomainNotAllowed,
    EmailNotVerified,
    IdTokenInvalid,
    ProviderRefused,
    ProviderUnreachable,
)
from api.oidc.id_token import UnknownKey, check_claims, verified
from api.oidc.provider import Metadata, Provider, Step
from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.outgoing import Outgoing, Response
from errata.outgoing.errors import OutgoingFailed
from errata.state import Store
from errata.state.identities import ProviderIdentity
from errata.state.provider_sign_ins import ProviderSignIn
from errata.state.sessions import WebSession

if TYPE_CHECKING:
    from authlib.oauth2.client import OAuth2Client

log = logging.getLogger("api")

OF_EMAIL = ("email", "email_verified")
# RFC 6749, 5.2: the body says which error.
ERROR_STATUSES = (400, 401)


@dataclass(frozen=True)
class Returned:
    """What the browser comes back with: a code, or an error. `issuer` (RFC 9207) may be empty."""

    code: str
    error: str
    issuer: str


class SingleSignOn:
    def __init__(self, configuration: Configuration, state: Store, outgoing: Outgoing) -> None:
        self.label = configuration.label
        self._configuration = configuration
        self._state = state
        self._provider = Provider(configuration.issuer, outgoing)

    def begin(self, destination: str) -> tuple[ProviderSignIn, str]:
        """The begun sign-in and the provider's address. Raises ProviderUnreachable."""
        step = self._provider.step()
        metadata = self._provider.metadata(step)
        begun = self._state.provider_sign_ins.begin(destination)
        address, _ = self._client(step, metadata).create_authorization_url(
            metadata.authorization_endpoint,
            state=begun.state,
            nonce=begun.nonce,
            code_verifier=begun.code_verifier,
        )
        return begun, str(address)

    def complete(self, begun: ProviderSignIn, returned: Returned) -> WebSession:
        """Signs the person in. Raises CodeRequired for someone with two-factor authentication, a
        ProviderFailed, and what `Identities.admit` does."""
        configuration = self._configuration
        if returned.issuer and returned.issuer != configuration.issuer:
            raise IdTokenInvalid("issuer", "the response is from another issuer")
        if returned.error or not returned.code:
            raise ProviderRefused(returned.error[:200] or "no code")
        claims = self._claims(begun, returned.code)
        identity = self._identity(claims)
        organization_id = self._organization_id()
        role = configuration.role_of(_groups(claims.get(configuration.groups_claim)))
        user = self._state.identities.admit(
            organization_id, identity, role, keeps_role=not configuration.role_of_group
        )
        return self._state.sessions.begin(user, _moment(claims.get("auth_time")))

    def _claims(self, begun: ProviderSignIn, code: str) -> dict[str, Any]:
        """Of the ID token, and of the userinfo endpoint what the token lacks."""
        configuration, step = self._configuration, self._provider.step()
        metadata = self._provider.metadata(step)
        token = self._token(step, metadata, begun, code)
        access_token, id_token = token.get("access_token"), token.get("id_token")
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise IdTokenInvalid("malformed", "the token response has no ID token")
        header, claims = self._verified(step, id_token)
        check_claims(
            header,
            claims,
            issuer=configuration.issuer,
            client_id=configuration.client_id,
            nonce=begun.nonce,
            access_token=access_token,
            now=int(self._state.now().timestamp()),
        )
        wanted = set(OF_EMAIL)
        if configuration.role_of_group:
            wanted.add(configuration.groups_claim)
        if wanted <= set(claims) or not metadata.userinfo_endpoint:
            return claims
        more = step.document(metadata.userinfo_endpoint, {"Authorization": f"Bearer {access_token}"})
        if more.get("sub") != claims["sub"]:
            raise IdTokenInvalid("subject", "the userinfo endpoint responded for someone else")
        # Of one document: whether an address is verified tells nothing of another one.
        own = claims if set(OF_EMAIL) <= set(claims) else _without(claims, OF_EMAIL)
        return {**{name: more[name] for name in wanted if name in more}, **own}

    def _token(self, step: Step, metadata: Metadata, begun: ProviderSignIn, code: str) -> Mapping[str, Any]:
        from authlib.oauth2.base import OAuth2Error

        try:
            token: Mapping[str, Any] = self._client(step, metadata).fetch_token(
                metadata.token_endpoint, code=code, code_verifier=begun.code_verifier
            )
        except OAuth2Error as error:
            raise ProviderRefused(str(error.error)[:200]) from error
        except (ValueError, TypeError, RecursionError) as error:
            raise ProviderUnreachable("its token response is invalid") from error
        return token

    def _verified(self, step: Step, id_token: str) -> tuple[dict[str, Any], dict[str, Any]]:
        try:
            return verified(id_token, self._provider.keys(step))
        except UnknownKey:
            log.info("Fetching the sign-in provider's keys again")
        try:
            return verified(id_token, self._provider.keys(step, again=True))
        except UnknownKey as error:
            raise IdTokenInvalid("signature", "no key of the provider matches it") from error

    def _identity(self, claims: Mapping[str, Any]) -> ProviderIdentity:
        # True alone: some providers let people write any address into their profile.
        if claims.get("email_verified") is not True:
            raise EmailNotVerified
        try:
            email = checked_email(claims.get("email"))
        except InvalidParameter:
            raise EmailNotVerified from None
        if email != claims["email"].lower():
            raise EmailNotVerified
        if not self._configuration.allows(email):
            raise DomainNotAllowed
        return ProviderIdentity(self._configuration.issuer, claims["sub"], email)

    def _organization_id(self) -> int:
        """Of the organization that people join."""
        known, name = self._state.accounts.organizations(), self._configuration.organization
        found = [each for each in known if each.name == name] if name else known
        if len(found) != 1:
            raise ProviderRefused("ERRATA_OIDC_ORGANIZATION isn't the name of an organization")
        return found[0].id

    def _client(self, step: Step, metadata: Metadata) -> "OAuth2Client":
        # Not at the start: only a service with a provider needs it.
        from authlib.oauth2.client import OAuth2Client

        secret = self._configuration.client_secret.get_secret_value()
        return OAuth2Client(
            TokenEndpoint(step),
            client_id=self._configuration.client_id,
            client_secret=secret or None,
            token_endpoint_auth_method=_auth_method(bool(secret), metadata.token_auth_methods),
            scope=self._configuration.scopes,
            redirect_uri=self._configuration.redirect_uri,
            code_challenge_method="S256",
        )


@dataclass(frozen=True)
class TokenEndpoint:
    """The HTTP session that Authlib asks the token endpoint with: ours, with its policy and its limits."""

    step: Step

    def post(
        self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: Any
    ) -> "TokenResponse":
        url, headers, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return TokenResponse(self.step.ask("POST", url, headers, body.encode()))


@dataclass(frozen=True)
class TokenResponse:
    answer: Response

    @property
    def status_code(self) -> int:
        return self.answer.status

    def json(self) -> Any:
        if self.answer.status not in ERROR_STATUSES:
            self.raise_for_status()
        try:
            return self.answer.json()
        except OutgoingFailed as error:
            raise ProviderUnreachable(str(error)) from error

    def raise_for_status(self) -> None:
        if not self.answer.is_success:
            raise ProviderUnreachable(f"{self.answer.host} responded with status {self.answer.status}")


def _auth_method(has_secret: bool, supported: tuple[str, ...]) -> str:
    """client_secret_basic is the default of OpenID Connect Discovery 1.0."""
    if not has_secret:
        return "none"
    is_post_only = "client_secret_post" in supported and "client_secret_basic" not in supported
    return "client_secret_post" if is_post_only else "client_secret_basic"


def _groups(claim: object) -> frozenset[str]:
    """Of a list of texts; anything else names none, since a text may be a list in another form."""
    if isinstance(claim, list) and all(isinstance(group, str) for group in claim):
        return frozenset(claim)
    if claim is not None:
        log.warning(
            "The sign-in provider's groups claim isn't a list of strings, so it is treated as no groups"
        )
    return frozenset()


def _moment(auth_time: object) -> datetime | None:
    """When the person last proved to the provider who they are; None: it does not say."""
    if isinstance(auth_time, bool) or not isinstance(auth_time, int | float):
        return None
    try:
        return datetime.fromtimestamp(auth_time, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _without(claims: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in claims.items() if name not in names}
