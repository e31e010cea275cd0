from collections.abc import Sequence
from dataclasses import dataclass

from errata_shipper.batch import Line
from errata_shipper.client import Response
from errata_shipper.errors import ServerUnreachable
from errata_shipper.payload import Payload
from errata_shipper.rejected import Refusal


@dataclass(frozen=True)
class Acknowledgement:
    """What a 200 says of a batch."""

    batch_id: str
    accepted_count: int
    refusals: tuple[Refusal, ...]


def acknowledgement_of(answer: Response, payload: Payload) -> Acknowledgement:
    """Raises ServerUnreachable if the 200 does not account for every line of this batch.

    A captive portal, a proxy or a wrong baseUrl can answer 200 too; to believe it would lose the lines.
    """
    accepted, rejected = answer.document.get("accepted"), answer.document.get("rejected")
    if type(accepted) is not int or not isinstance(rejected, list):
        raise _distrusted("it doesn't state what was accepted")
    if answer.document.get("batch_id", payload.batch_id) != payload.batch_id:
        raise _distrusted("it refers to a different batch")
    lines = payload.batch.lines
    refusals = tuple(_refusal(entry, lines) for entry in rejected)
    if accepted < 0 or accepted + len(refusals) != len(lines):
        raise _distrusted(f"it accounts for {accepted + len(refusals)} of {len(lines)} lines")
    return Acknowledgement(payload.batch_id, accepted, refusals)


def _refusal(entry: object, lines: Sequence[Line]) -> Refusal:
    number = entry.get("line") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or type(number) is not int or not 1 <= number <= len(lines):
        raise _distrusted(f"it rejects a line that wasn't sent: {entry!r:.200}")
    return Refusal(lines[number - 1], str(entry.get("reason", "")), str(entry.get("message", "")))


def _distrusted(why: str) -> ServerUnreachable:
    return ServerUnreachable(
        f"Unexpected response to a delivery (200): {why}", "check that baseUrl points to an Errata server"
    )
