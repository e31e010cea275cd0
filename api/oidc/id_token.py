"""ID tokens: signature first, then the claims (OpenID Connect Core 1.0, section 3.1.3.7)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from api.oidc.errors import IdTokenInvalid

if TYPE_CHECKING:
    from joserfc.jwk import Key

# Asymmetric ones alone: with HS256 a forger would sign with the public key, and with `none` not at all.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
LEEWAY_SECONDS = 60
# Some providers name their key by several hashes and an address.
HEADER_MAX_BYTES = 4096
LONGEST_SUBJECT = 255
REASONS = {
    "iss": "issuer",
    "aud": "audience",
    "azp": "audience",
    "exp": "expired",
    "nbf": "expired",
    "iat": "expired",
    "nonce": "nonce",
    "sub": "subject",
}


class UnknownKey(Exception):
    """No key that was given made the signature: perhaps the provider has a newer one."""


def verified(token: str, keys: "list[Key]") -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims. Raises IdTokenInvalid, and UnknownKey where another key could verify it."""
    from joserfc import jwt
    from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError, UnsupportedAlgorithmError
    from joserfc.jws import JWSRegistry

    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    registry.max_header_length = HEADER_MAX_BYTES
    try:
        found = jwt.decode(token, lambda signed: _key(signed.headers(), keys), registry=registry)
    except (BadSignatureError, InvalidKeyIdError) as error:
        raise UnknownKey from error
    except UnsupportedAlgorithmError as error:
        raise IdTokenInvalid("algorithm", str(error)) from error
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise IdTokenInvalid("malformed", str(error)) from error
    return dict(found.header), dict(found.claims)


def check_claims(
    header: Mapping[str, Any],
    claims: Mapping[str, Any],
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    access_token: str,
    now: int,
) -> None:
    """Raises IdTokenInvalid."""
    from authlib.oidc.core import CodeIDToken
    from joserfc.errors import ClaimError, JoseError

    checked = CodeIDToken(
        claims,
        header,
        {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
        {"nonce": nonce, "client_id": client_id, "access_token": access_token},
    )
    try:
        checked.validate(now=now, leeway=LEEWAY_SECONDS)
    except ClaimError as error:
        raise IdTokenInvalid(REASONS.get(error.claim, "malformed"), str(error)) from error
    except (JoseError, ValueError, TypeError) as error:
        raise IdTokenInvalid("malformed", str(error)) from error
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise IdTokenInvalid("subject", "sub must be text of 1 to 255 characters")


def _key(header: Mapping[str, Any], keys: "list[Key]") -> "Key":
    from joserfc.errors import InvalidKeyIdError

    kid, key_type = header.get("kid"), "EC" if str(header.get("alg")).startswith("ES") else "RSA"
    fitting = [key for key in keys if key.key_type == key_type and kid in (None, key.kid)]
    # Without a name only a single key can be meant.
    if not fitting or (kid is None and len(fitting) > 1):
        raise InvalidKeyIdError
    return fitting[0]
