"""What of Thrift's compact protocol Parquet's metadata need. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT = 1, 2, 5, 6, 8, 9, 12


@dataclass(frozen=True)
class Value:
    """Encoded, with the type that its field or list names."""

    type: int
    encoded: bytes


class Compact:
    @staticmethod
    def encoded(fields: Mapping[int, Value]) -> bytes:
        """A struct: fields by their number, in ascending order."""
        written, last = bytearray(), 0
        for number, value in sorted(fields.items()):
            # All structs here have neighbours at most 15 numbers apart.
            written.append((number - last) << 4 | value.type)
            written += value.encoded
            last = number
        return bytes(written) + b"\0"

    @staticmethod
    def varint(number: int) -> bytes:
        written = bytearray()
        while number > 0x7F:
            written.append(number & 0x7F | 0x80)
            number >>= 7
        written.append(number)
        return bytes(written)


def i32(number: int) -> Value:
    return Value(I32, Compact.varint(number << 1 ^ number >> 31))


def i64(number: int) -> Value:
    return Value(I64, Compact.varint(number << 1 ^ number >> 63))


def boolean(is_true: bool) -> Value:
    # Of a field the type is the value.
    return Value(TRUE if is_true else FALSE, b"")


def text(value: str) -> Value:
    encoded = value.encode()
    return Value(BINARY, Compact.varint(len(encoded)) + encoded)


def struct_of(fields: Mapping[int, Value]) -> Value:
    return Value(STRUCT, Compact.encoded(fields))


def empty() -> Value:
    return struct_of({})


def texts(values: Sequence[str]) -> Value:
    return records([text(value) for value in values])


def records(values: Sequence[Value]) -> Value:
    """A list; all of one type."""
    (type_,) = {value.type for value in values}
    head = (
        bytes([len(values) << 4 | type_])
        if len(values) < 15
        else bytes([0xF0 | type_]) + Compact.varint(len(values))
    )
    return Value(LIST, head + b"".join(value.encoded for value in values))
