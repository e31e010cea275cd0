"""What an event shows of an uploaded source."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from errata.source_maps.frames import Position, Script
from errata.source_maps.lookup import Found, map_events
from errata.source_maps.opened import Original
from tests.cases import each
from tests.secret_catalog import HARMLESS_SOURCE, SOURCE_WITH_SECRETS
from tests.source_map_files import an_error


class OneSource:
    """Every position of every script is the middle of these lines."""

    def __init__(self, *lines: str) -> None:
        self._original = Original("src/pay.js", 7, 1, "pay", lines[:-2], lines[-2], lines[-1:])

    def originals(self, positions: Mapping[Script, Collection[Position]]) -> Mapping[Script, Found]:
        return {
            script: Found(originals=dict.fromkeys(places, self._original))
            for script, places in positions.items()
        }


def frame_with(*lines: str) -> dict[str, Any]:
    error = an_error("https://shop.example/app.js")
    (mapped,) = map_events([error], OneSource(*lines))
    assert mapped.mapped_count == 1
    (frame,) = error["exception"]["values"][0]["stacktrace"]["frames"]
    return dict(frame)


@each(("line", "secret"), SOURCE_WITH_SECRETS)
def test_a_secret_in_an_uploaded_source_is_not_shown(line: str, secret: str) -> None:
    for lines in ((line, "a", "b"), ("a", line, "b"), ("a", "b", line)):
        assert secret not in json.dumps(frame_with(*lines))


def test_a_private_key_over_lines_of_an_uploaded_source_is_not_shown() -> None:
    key = (
        "`-----BEGIN PRIVATE KEY-----",
        "MIIEvAIBADANBgkqhkiG9w0B",
        "q2Zt8vLr",
        "-----END PRIVATE KEY-----`",
    )
    frame = frame_with("const key =", *key)
    assert not any(part in json.dumps(frame) for part in key[1:3])


def test_other_lines_of_an_uploaded_source_are_shown_as_they_are() -> None:
    for line in HARMLESS_SOURCE:
        frame = frame_with("a", line, "b")
        assert (frame["pre_context"], frame["context_line"], frame["post_context"]) == (["a"], line, ["b"])
