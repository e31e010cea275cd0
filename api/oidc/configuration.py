"""What an operator sets about the provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from errata.errors import InvalidSettings
from errata.settings import CoreSettings
from errata.state.users import Role

# The most powerful first: of several groups the most powerful role counts.
ROLES = (Role.OWNER, Role.MEMBER, Role.VIEWER)


@dataclass(frozen=True)
class Configuration:
    """`role_of_group` is empty where groups decide nothing; `default_role` is None where one is needed."""

    issuer: str
    client_id: str
    client_secret: SecretStr
    redirect_uri: str
    allowed_domains: frozenset[str]
    label: str = "single sign-on"
    scopes: str = "openid email profile"
    groups_claim: str = "groups"
    role_of_group: Mapping[str, Role] = field(default_factory=dict)
    default_role: Role | None = Role.VIEWER
    organization: str = ""

    def role_of(self, groups: frozenset[str]) -> Role | None:
        roles = {self.role_of_group[group] for group in groups if group in self.role_of_group}
        return next((role for role in ROLES if role in roles), self.default_role)

    def allows(self, email: str) -> bool:
        return email.rpartition("@")[2].casefold() in self.allowed_domains


def configuration_of(core: CoreSettings) -> Configuration | None:
    """None without an issuer. Raises InvalidSettings."""
    if not core.oidc_issuer:
        return None
    domains = frozenset(part.casefold() for part in _parts(core.oidc_allowed_domains))
    missing = [
        f"ERRATA_OIDC_{name}: required with ERRATA_OIDC_ISSUER"
        for name, value in (("CLIENT_ID", core.oidc_client_id), ("ALLOWED_DOMAINS", domains))
        if not value
    ]
    if missing:
        raise InvalidSettings(missing)
    return Configuration(
        core.oidc_issuer,
        core.oidc_client_id,
        core.oidc_client_secret,
        f"{core.base_url}/api/auth/oidc/callback",
        domains,
        core.oidc_label,
        core.oidc_scopes,
        core.oidc_groups_claim,
        _role_of_group(core.oidc_roles),
        None if core.oidc_default_role == "none" else Role(core.oidc_default_role),
        core.oidc_organization,
    )


def _role_of_group(text: str) -> dict[str, Role]:
    found = {}
    for part in _parts(text):
        # A group's name may hold an equals sign, as names of directories do.
        group, _, role = part.rpartition("=")
        try:
            found[group.strip()] = Role(role.strip())
        except ValueError:
            raise InvalidSettings([f"ERRATA_OIDC_ROLES: {part!r} must have the form group=role"]) from None
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
