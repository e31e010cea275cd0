"""What the engine out of the wheel lacks to be a replica: an address that other replicas know it by, and the
port at which they fetch its parts.

The wheel has all of ClickHouse's replication, but sets no inter-server address, and its replicas stay
read-only. `give_address` writes it into the engine in memory: three functions of its `Context`, found by the
text of the error that one of them throws, return an address, the scheme and no credentials. `PartSender`
answers at that address as `DataPartsExchange` does, with protocol version 4, from the files of the parts.
Both are for tests alone.
"""

import ctypes
import mmap
import re
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from clickhouse_cityhash.cityhash import CityHash128

PROTOCOL_VERSION = 4
NO_TTL = b"ttl format version: 1\n{}"
OF_ONE_REPLICA = {"uuid.txt", "txn_version.txt", "metadata_version.txt"}
HASH_BLOCK_BYTES = 2048
# CityHash 1.0.2 begins a hash with a seed that is its first 16 bytes, the first half of them changed by this.
CITYHASH_K3 = 0xC949D7C7509E6557

ADDRESS_IS_MISSING = b"required for replication is not specified"
LOADS_ADDRESS = re.compile(rb"\x48\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]")
BETWEEN_FUNCTIONS = b"\xcc\xcc"
# Where the two other functions lie, and how they begin: another version of the engine may need other numbers.
CREDENTIALS_AT, CREDENTIALS_BEGIN = -0x80, bytes.fromhex("41574156534c8b3f")
SCHEME_AT, SCHEME_BEGINS = 0x100, bytes.fromhex("488b0680")
PAGE_BYTES, ANY_ACCESS = 4096, 7
SHORT_STRING_BYTES, EXECUTABLE, LOADED = 23, 1, 1

# What the engine reads lies here as long as it runs.
_credentials = ctypes.create_string_buffer(PAGE_BYTES)


@dataclass(frozen=True)
class Segment:
    flags: int
    offset: int
    address: int
    size: int


def give_address(host: str, port: int) -> None:
    """Makes this process's engine a replica that is known at this address."""
    from chdb import _chdb

    path = Path(str(_chdb.__file__))
    function = _base(path) + _function_of_address(path)
    _write(function, _returning(host, port))
    _require(function + CREDENTIALS_AT, CREDENTIALS_BEGIN)
    pointer = struct.pack("<Q", ctypes.addressof(_credentials))
    _write(function + CREDENTIALS_AT, b"\x48\xb8" + pointer + b"\x31\xd2\xc3")
    _require(function + SCHEME_AT, SCHEME_BEGINS)
    _write(function + SCHEME_AT, _returning("http"))


def _function_of_address(path: Path) -> int:
    """The address in the file of the function that throws when there is no inter-server address."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
        segments = list(_segments(library))
        at = library.rfind(b"\0", 0, library.find(ADDRESS_IS_MISSING)) + 1
        text = next(
            at - one.offset + one.address for one in segments if one.offset <= at < one.offset + one.size
        )
        for one in segments:
            if not one.flags & EXECUTABLE:
                continue
            code = library[one.offset : one.offset + one.size]
            for hit in LOADS_ADDRESS.finditer(code):
                (distance,) = struct.unpack_from("<i", code, hit.start() + 3)
                if one.address + hit.end() + 4 + distance == text:
                    begin = code.rfind(BETWEEN_FUNCTIONS, 0, hit.start()) + len(BETWEEN_FUNCTIONS)
                    return one.address + begin
    raise RuntimeError(f"{path} is another engine than this module knows")


def _segments(library: mmap.mmap) -> Iterator[Segment]:
    (headers,) = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    for number in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", library, headers + number * size
        )
        if kind == LOADED:
            yield Segment(flags, offset, address, length)


def _base(path: Path) -> int:
    maps = Path("/proc/self/maps").read_text().splitlines()
    return min(int(line.partition("-")[0], 16) for line in maps if line.endswith(f"{path}"))


def _returning(text: str, number: int | None = None) -> bytes:
    """Code of a function that returns a short string, and a number of 16 bits after it."""
    string = text.encode().ljust(SHORT_STRING_BYTES, b"\0") + bytes([len(text)])
    code = b""
    for offset in range(0, len(string), 8):
        code += b"\x48\xb8" + string[offset : offset + 8] + b"\x48\x89\x47" + bytes([offset])
    if number is not None:
        code += b"\x66\xc7\x47\x18" + struct.pack("<H", number)
    return code + b"\x48\x89\xf8\xc3"


def _require(address: int, begin: bytes) -> None:
    if ctypes.string_at(address, len(begin)) != begin:
        raise RuntimeError("The engine is another one than this module knows")


def _write(address: int, code: bytes) -> None:
    page = address - address % PAGE_BYTES
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(2 * PAGE_BYTES), ANY_ACCESS):
        raise OSError(ctypes.get_errno(), "The engine's code can't be changed")
    ctypes.memmove(address, code, len(code))


class PartSender(BaseHTTPRequestHandler):
    """Gives the parts of the replica of this process to others."""

    store: Path

    @classmethod
    def listen(cls, data: Path, host: str, port: int) -> None:
        """`data`: the engine's own directory."""
        handler = type("Sender", (cls,), {"store": data / "store"})
        server = ThreadingHTTPServer((host, port), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def do_POST(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        # DataPartsExchange:<path of the table>/replicas/<name>, whose path ends with the table's uuid.
        table = asked["endpoint"].split("/replicas/")[0].rpartition("/")[2]
        folders = list(self.store.glob(f"*/{table}/{asked['part']}"))
        if not folders:
            self.send_error(404)
            return
        body = _part(folders[0])
        self.send_response(200)
        self.send_header("Set-Cookie", f"server_protocol_version={PROTOCOL_VERSION}")
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: others ask often."""


def _part(folder: Path) -> bytes:
    files = {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name not in OF_ONE_REPLICA
    }
    kind = b"Compact" if "data.bin" in files else b"Wide"
    ttl = files.get("ttl.txt", NO_TTL)
    size = struct.pack("<Q", sum(map(len, files.values())))
    found = [size, _string(ttl), _string(kind), struct.pack("<Q", len(files))]
    for name, content in files.items():
        found += [
            _string(name.encode()),
            struct.pack("<Q", len(content)),
            content,
            struct.pack("<QQ", *_hash(content)),
        ]
    return b"".join(found)


def _string(value: bytes) -> bytes:
    length, rest = b"", len(value)
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return length + bytes([rest]) + value


def _hash(content: bytes) -> tuple[int, int]:
    """CityHash128 of blocks, each with the hash before it as its seed."""
    low = high = 0
    for offset in range(0, len(content), HASH_BLOCK_BYTES):
        seed = struct.pack("<QQ", low ^ CITYHASH_K3, high)
        low, high = divmod(CityHash128(seed + content[offset : offset + HASH_BLOCK_BYTES]), 1 << 64)
    return low, high
