"""How a session went, in words."""

from errata.warehouse.queries.users.user import UserSession

WORDS = {"crashed": "crashed", "abnormal": "ended abnormally", "unhandled": "an unhandled error"}
# The application went on, or ended in an orderly way.
WELL = ("ok", "exited", "errored")


def session_words(session: UserSession) -> str:
    if session.status in WELL:
        return "errors, no crash" if session.error_count or session.status == "errored" else "no errors"
    return WORDS.get(session.status, session.status)
