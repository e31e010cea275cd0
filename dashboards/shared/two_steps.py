"""A person's two-factor authentication, on their account and where it has to be set up."""

from dataclasses import dataclass
from datetime import datetime

import segno
from markupsafe import Markup

from errata.state import Store
from errata.state.errors import PasswordRequired
from errata.state.sessions import WebSession
from errata.state.totp import provisioning_uri

BORDER_MODULES = 4


@dataclass(frozen=True)
class TwoStepsView:
    """`secret` and `qr_code` are those being set up, shown only just after the password was given."""

    turned_on_at: datetime | None
    recovery_code_count: int
    secret: str
    qr_code: Markup

    @property
    def is_on(self) -> bool:
        return self.turned_on_at is not None


def two_steps_view(store: Store, session: WebSession) -> TwoStepsView:
    state = store.two_steps.of_user(session)
    secret = _shown_secret(store, session)
    code = _svg(provisioning_uri(secret, session.email)) if secret else Markup("")
    return TwoStepsView(state.turned_on_at, state.recovery_code_count, secret, code)


def _shown_secret(store: Store, session: WebSession) -> str:
    try:
        store.sessions.require_confirmed(session)
    except PasswordRequired:
        return ""
    return store.two_steps.secret_being_set_up(session) or ""


def _svg(text: str) -> Markup:
    """Dark on light in either theme: scanners may not read the opposite."""
    code = segno.make_qr(text, error="m")
    drawn = code.svg_inline(border=BORDER_MODULES, dark="#000", light="#fff", omitsize=True)
    # Our own drawing of an address with its reserved characters escaped.
    return Markup(drawn)
