"""One-time links by mail, where the service has a mail server."""

import logging
from typing import Literal
from uuid import uuid4

from api.context import Context
from errata.alerts.errors import NotDelivered
from errata.alerts.mail import headed, send_message
from errata.reports import formats
from errata.state.one_time_link import LinkKind, OneTimeLink
from errata.state.one_time_links import CreatedOneTimeLink

log = logging.getLogger("api")

Mailed = Literal["sent", "failed", "off"]


def address_of(context: Context, created: CreatedOneTimeLink) -> str:
    return f"{context.base_url}/link/{created.token}"


def mail_link(context: Context, created: CreatedOneTimeLink) -> Mailed:
    """Sends the link to the person it is for. A failure is logged, never raised: the link works all the
    same."""
    if context.mail is None:
        return "off"
    link = created.link
    message = headed(context.mail.sender, [link.email], uuid4().hex, _subject(link))
    message.set_content(_words(context, link, address_of(context, created)))
    try:
        send_message(context.mail, context.outgoing, [link.email], message)
    except NotDelivered as error:
        log.warning("A mail with a one-time link was not delivered: %s", error)
        return "failed"
    return "sent"


def _subject(link: OneTimeLink) -> str:
    if link.kind is LinkKind.INVITATION:
        return f"Join {link.organization} on Errata"
    return "Choose a new password for Errata"


def _words(context: Context, link: OneTimeLink, address: str) -> str:
    if link.kind is LinkKind.INVITATION:
        first = f"{link.created_by} invites you to {link.organization} on Errata, as {link.role}."
        last = "If you don't expect this, ignore it."
    else:
        first = f"Choose a new password for {link.email} on Errata."
        last = "If you didn't expect this, ignore it: your password doesn't change."
    until = f"The link works once, until {formats.iso_minute(link.expires_at)} UTC. {last}"
    return "\n".join([first, "", address, "", until, "", "-- ", f"Sent by Errata: {context.base_url}", ""])
