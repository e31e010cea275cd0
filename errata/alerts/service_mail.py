"""The mail server that the service's settings name."""

from errata.alerts.mail import MailServer
from errata.settings import CoreSettings


def mail_server(core: CoreSettings) -> MailServer | None:
    """None: the service has none, or sends nothing."""
    if not core.mail_host or not core.sends:
        return None
    return MailServer(
        core.mail_host,
        core.mail_port,
        core.mail_security,
        core.mail_user,
        core.mail_password,
        core.mail_from,
        is_operators=True,
    )
