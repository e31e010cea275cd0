"""Writes small files in the MaxMind DB format: https://maxmind.github.io/MaxMind-DB/.

A binary tree over the bits of an address, whose leaves point into a section of data, and metadata.
"""

from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

MARKER = b"\xab\xcd\xefMaxMind.com"
TEXT, UINT16, UINT32, MAP, UINT64, ARRAY = 2, 5, 6, 7, 9, 11
Node = list[Any]


def write_country_file(path: Path, countries: Mapping[str, str]) -> Path:
    """`countries`: code by network, such as `{"192.0.2.0/24": "DE"}`; of IPv4 and IPv6."""
    root: Node = [None, None]
    for network, code in countries.items():
        _insert(root, network, code)
    nodes = _numbered(root)
    data, places = b"", dict[str, int]()
    for code in sorted(set(countries.values())):
        places[code] = len(data)
        data += _map({"country": _map({"iso_code": _text(code)})})
    numbers = {id(node): number for number, node in enumerate(nodes)}
    tree = b""
    for node in nodes:
        for child in node:
            if child is None:
                record = len(nodes)
            elif isinstance(child, str):
                record = len(nodes) + 16 + places[child]
            else:
                record = numbers[id(child)]
            tree += record.to_bytes(3, "big")
    metadata = {
        "node_count": _number(UINT32, len(nodes)),
        "record_size": _number(UINT16, 24),
        "ip_version": _number(UINT16, 6),
        "database_type": _text("Test-Country"),
        "languages": _head(ARRAY, 1) + _text("en"),
        "binary_format_major_version": _number(UINT16, 2),
        "binary_format_minor_version": _number(UINT16, 0),
        "build_epoch": _number(UINT64, 1_790_000_000),
        "description": _map({"en": _text("Countries of a test")}),
    }
    path.write_bytes(tree + bytes(16) + data + MARKER + _map(metadata))
    return path


def _insert(root: Node, network: str, code: str) -> None:
    parsed = ip_network(network)
    # Addresses of IPv4 lie in the first 2^32 of IPv6.
    before = 96 if parsed.version == 4 else 0
    bits = f"{int(parsed.network_address):0{128 if parsed.version == 6 else 32}b}"
    path = "0" * before + bits[: parsed.prefixlen]
    node = root
    for bit in path[:-1]:
        if node[int(bit)] is None:
            node[int(bit)] = [None, None]
        node = node[int(bit)]
    node[int(path[-1])] = code


def _numbered(root: Node) -> list[Node]:
    found, waiting = list[Node](), [root]
    while waiting:
        node = waiting.pop(0)
        found.append(node)
        waiting += [child for child in node if isinstance(child, list)]
    return found


def _head(kind: int, size: int) -> bytes:
    """Type and size of a field below 29 bytes or entries; types above 7 are written in a second byte."""
    return bytes([kind << 5 | size]) if kind <= MAP else bytes([size, kind - MAP])


def _text(value: str) -> bytes:
    return _head(TEXT, len(value)) + value.encode()


def _number(kind: int, value: int) -> bytes:
    written = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return _head(kind, len(written)) + written


def _map(entries: Mapping[str, bytes]) -> bytes:
    return _head(MAP, len(entries)) + b"".join(_text(name) + value for name, value in entries.items())
