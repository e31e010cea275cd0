"""Messages posted as JSON, and the response of the other side."""

import json
from collections.abc import Mapping
from typing import Any

from errata_wire.retry_after import retry_after_seconds

from errata.alerts.errors import NotDelivered, Undeliverable
from errata.outgoing import Outgoing
from errata.outgoing.errors import AddressRefused, OutgoingFailed

SECONDS = 10.0
ANSWER_BYTES = 2_000
# Of the responses that blame the request those that time mends: a timeout, too early, too many.
PASSING = (408, 425, 429)


def post_json(outgoing: Outgoing, url: str, document: Mapping[str, Any]) -> str:
    """The response in a line. Raises NotDelivered."""
    return post(outgoing, url, {}, json.dumps(document).encode())


def post(outgoing: Outgoing, url: str, headers: Mapping[str, str], body: bytes) -> str:
    """The response in a line. Raises NotDelivered."""
    sent = {"Content-Type": "application/json", **headers}
    try:
        answer = outgoing.request(
            "POST", url, headers=sent, body=body, seconds=SECONDS, answer_max_bytes=ANSWER_BYTES
        )
    except AddressRefused as error:
        raise Undeliverable(str(error)) from error
    except OutgoingFailed as error:
        raise NotDelivered(str(error)) from error
    said = f"{answer.status} {' '.join(answer.text.split())[:200]}".strip()
    if 400 <= answer.status < 500 and answer.status not in PASSING:
        raise Undeliverable(said)
    if not answer.is_success:
        after = retry_after_seconds(answer.headers.get("retry-after", ""), answer.headers.get("date", ""))
        raise NotDelivered(said, after or 0.0)
    return said
