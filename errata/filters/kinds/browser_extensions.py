"""Errors of browser extensions and of what else is injected into pages."""

import re

from errata.filters.inbound_filter import ERRORS, InboundFilter
from errata.filters.incoming_event import IncomingEvent

SCRIPT = re.compile(
    r"(?:chrome|chrome-extension|moz-extension|safari-extension|safari-web-extension|ms-browser-extension)://|"
    r"webkit-masked-url:|"
    # Injected from hosts of their own.
    r"https?://(?:[\w-]+\.){0,8}(?:kaspersky-labs\.com|woopra-ns\.com|texthelp\.com)/|"
    r"https?://(?:graph\.facebook\.com|connect\.facebook\.net|static\.woopra\.com)/|"
    r"https?://127\.0\.0\.1:4001/isrunning",
    re.IGNORECASE,
)
# What extensions, toolbars and injected scripts are known to leave behind, in lower case.
MESSAGES = (
    *("extension context invalidated", "webkit-masked-url:", "can't access dead object", "top.globals"),
    *("could not establish connection. receiving end does not exist", "plugin.setsuspendstate"),
    *("the message port closed before a response was received", "object not found matching id:"),
    *("can't find variable: zitereader", "can't find variable: _autofillcallbackhandler"),
    *("can't find variable: gmo", "jigsaw is not defined", "combosearch is not defined", "elt.parentnode"),
    *("originalcreatenotification", "canvas.contentdocument", "myapp_removeallhighlights", "atomicfindclose"),
    *("fb_xd_fragment", "bmi_safeaddonload", "ebcallbackmessagereceived", "_gcrweb", "conduitpage"),
)


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    return any(SCRIPT.match(script) for script in event.scripts) or any(
        known in message for message in map(str.lower, event.messages) for known in MESSAGES
    )


FILTER = InboundFilter(
    "browser-extensions",
    "Browser extensions",
    "Errors raised in scripts of extensions, or with a message that extensions and injected scripts are "
    "known for.",
    ERRORS,
    matches,
)
