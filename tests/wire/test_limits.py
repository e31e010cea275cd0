from errata_wire.limits import LINE_MAX_BYTES, RECORDING_LINE_MAX_BYTES, item_line_max_bytes, line_max_bytes

from tests.cases import each


@each(
    ("head", "is_long"),
    [
        (b'{"type":"replay_recording","app_key":"a"', True),
        (b' { "type" : "replay_recording", "payload_b64"', True),
        (b'{"type":"replay_recording', False),
        (b'{"type":"replay_event"', False),
        (b'{"app_key":"a","type":"replay_recording"', False),
        (b" " * 9 + b'{"type":"replay_recording"', False),
        (b"", False),
    ],
)
def test_only_a_recording_that_names_its_type_first_is_a_long_line(head: bytes, is_long: bool) -> None:
    assert line_max_bytes(head) == (RECORDING_LINE_MAX_BYTES if is_long else LINE_MAX_BYTES)


def test_an_item_has_the_limit_of_its_line() -> None:
    for item_type in ("event", "replay_event", "replay_recording"):
        assert item_line_max_bytes(item_type) == line_max_bytes(b'{"type":"%s",' % item_type.encode())
