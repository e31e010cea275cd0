"""The navigation among the settings of an organization."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    title: str
    path: str


# A page is a folder here, and a line in ENTRIES.
API_TOKENS = Entry("API tokens", "/settings/api-tokens")
PEOPLE = Entry("People", "/settings/people")
LIMITS = Entry("Limits", "/settings/limits")
ACTIVITY = Entry("Activity", "/settings/activity")
ACCOUNT = Entry("Your account", "/settings/account")
ENTRIES = (API_TOKENS, PEOPLE, LIMITS, ACTIVITY, ACCOUNT)


def navigation(entry: Entry) -> dict[str, object]:
    """The values of navigation.html."""
    return {"entries": ENTRIES, "entry": entry}
