"""Lists and objects within one another hide no secret, whether it is a text or a number."""

import json
from typing import Any

from errata.scrubbing import OneByOne, scrubbed, scrubbed_object
from tests.cases import each

CARD = 4111111111111111


@each("depth", [*range(1, 9), 60])
@each("secret", [CARD, "password=hunter2Zs"], ids=["number", "text"])
@each("inner", ["list", "object", "both"])
def test_a_secret_is_found_at_any_depth(inner: str, secret: Any, depth: int) -> None:
    value: Any = [1, secret, "x"]
    for level in range(depth):
        value = {"a": value} if inner == "object" or (inner == "both" and level % 2) else ["x", value, 2]
    sent = json.dumps({"extra": value}).encode()
    for stored in (
        json.dumps(scrubbed_object(json.loads(sent))).encode(),
        scrubbed(sent),
        OneByOne().scrubbed(sent),
    ):
        assert str(CARD).encode() not in stored and b"hunter2Zs" not in stored, stored
