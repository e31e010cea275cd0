"""What a request for an erasure names, and what the warehouse has of it."""

from dataclasses import dataclass
from uuid import UUID

from api.ingest.values import user_hash
from errata.errors import ErrataError, InvalidParameter
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.erasures import items
from errata.warehouse.queries.erasures.items import MOST_USERS, Subject
from errata.warehouse.queries.erasures.log import Kind


class TooManyUsers(ErrataError):
    code = "too_many_users"

    def __init__(self) -> None:
        super().__init__(
            f"More than {MOST_USERS:,} users have this ID or email address, so it doesn't identify a single "
            "person. Erase users one by one."
        )


@dataclass(frozen=True)
class Asked:
    """What a request names: an event, an issue, a person by ID, email address or key, a replay, the replays
    of a time, or the whole project by its slug. `words` are what a person must repeat; never empty."""

    kind: Kind
    by: str
    words: str


def subject_of(read: Warehouse, project_id: int, asked: Asked) -> Subject | None:
    """What the warehouse has of a request's subject; None: nothing, or the whole project. Raises
    TooManyUsers."""
    match asked.kind:
        case Kind.EVENT:
            return Subject(events=(UUID(asked.words),))
        case Kind.ISSUE:
            found, _ = items.variants_of_issue(read, project_id, int(asked.words, 16))
            return Subject(variants=found) if found else None
        case Kind.PERSON:
            users = users_of(read, project_id, asked)
            return Subject(users=users) if users else None
        case Kind.REPLAY | Kind.REPLAYS:
            return replays_of(asked.kind, asked.words)
        case _:
            return None


def users_of(read: Warehouse, project_id: int, asked: Asked) -> list[int]:
    """The hashes of the users that a person is. Raises TooManyUsers."""
    if asked.by == "key":
        return [int(asked.words, 16)] if int(asked.words, 16) else []
    is_id = asked.by == "id"
    own = user_hash(asked.words, None, None, None) if is_id else user_hash(None, asked.words, None, None)
    if not own:
        # "unknown", "null" and the like identify nobody.
        return []
    named = (asked.words, "") if is_id else ("", asked.words)
    found = items.users_named(read, project_id, *named)
    if len(found) > MOST_USERS:
        raise TooManyUsers
    return sorted({own, *found})


def replays_of(kind: Kind, words: str) -> Subject:
    """One replay by its id, or those of an interval. Raises InvalidParameter."""
    if kind is Kind.REPLAY:
        return Subject(replays=(UUID(words),))
    try:
        period = Period.parse(words)
    except ValueError as error:
        raise InvalidParameter("replays", str(error)) from error
    if not period.is_interval:
        raise InvalidParameter("replays", "must be an interval such as 2026-11-01T00:00Z/2026-11-08T00:00Z")
    since, until = period.ends
    return Subject(replays_from=since, replays_until=until)
