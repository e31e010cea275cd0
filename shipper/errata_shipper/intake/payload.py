"""An item's payload as one line of JSON, byte for byte where it can be."""

import json
import re
from typing import Any

_EVENT_ID = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Payload:
    """A payload that is JSON: the bytes to write, and the value they say."""

    def __init__(self, content: bytes) -> None:
        """Raises ValueError if it is none."""
        try:
            self.value = json.loads(content.decode(), parse_constant=_refuse)
            # Valid JSON has line ends between its parts only, never inside a string.
            self.text = content.translate(None, b"\r\n").strip()
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        except ValueError:
            # SDKs of some languages write NaN and torn characters: an event is worth more than they are.
            self.value = json.loads(
                content.decode(errors="replace"), parse_constant=lambda _: None, strict=False
            )
            self.text = compact(self.value)

    def change(self, value: Any) -> None:
        self.value = value
        self.text = compact(value)

    def add(self, name: str, value: str) -> None:
        """Put a field before the others, all of whose bytes stay."""
        rest = self.text[1:].lstrip()
        separator = b"" if rest.startswith(b"}") else b","
        self.text = b"{" + _text({name: value})[1:-1] + separator + rest
        self.value = {name: value, **self.value}


def is_event_id(value: object) -> bool:
    return isinstance(value, str) and _EVENT_ID.fullmatch(value) is not None


def compact(value: Any) -> bytes:
    """A value as JSON; NaN and the like, which JSON has not, become null. A number such as 1e999 is one of
    them once it is read."""
    try:
        return _text(value)
    except ValueError:
        return _text(json.loads(json.dumps(value), parse_constant=lambda _: None))


def _text(value: Any) -> bytes:
    # ASCII escapes carry lone surrogates, which UTF-8 cannot.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
