"""Reads uploads: a bundle of an upload tool, or a ZIP file of a build's folder.

A bundle is a ZIP file, behind 8 bytes that begin with `SYSB` in some tools, whose manifest.json has
`files: {path: {url, type, headers}}`; headers are `debug-id` and `sourcemap`
(https://docs.sentry.io/platforms/javascript/sourcemaps/, and what sentry-cli 2.58 and 3.8 send).
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, Any
from uuid import UUID

import msgspec

from errata.errors import ErrataError
from errata.source_maps.addresses import ANY_HOST, LONGEST_NAME, map_name
from errata.source_maps.frames import debug_id_of

MANIFEST = "manifest.json"
MOST_FILES = 100_000
LARGEST_FILE = 64 << 20
LARGEST_UPLOAD = 2 << 30
LARGEST_MANIFEST = 64 << 20
# The archive's own: each file takes 46 bytes and its name.
LARGEST_DIRECTORY = 32 << 20
READ_BYTES = 1 << 20
FILE_IN_DIRECTORY = b"PK\x01\x02"
# Python's zipfile inflates all others without a bound.
PACKED_AS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
SCRIPT_ENDINGS = (".js", ".mjs", ".cjs", ".jsbundle", ".bundle")
MAP_ENDING = ".map"
SCRIPT_TYPES, MAP_TYPES = ("minified_source", "script"), ("source_map",)
# Both stand at the end of a script.
TAIL_BYTES = 4096
_REFERENCE = re.compile(rb"^[ \t]{0,100}//[#@][ \t]{0,100}sourceMappingURL=(\S{1,1000})[ \t\r]{0,100}$", re.M)
_DEBUG_ID = re.compile(rb"^[ \t]{0,100}//[#@][ \t]{0,100}debugId=([0-9a-fA-F-]{32,36})[ \t\r]{0,100}$", re.M)
# What the plugins of bundlers put into scripts themselves.
_INJECTED_ID = re.compile(rb"sentry-dbid-([0-9a-fA-F-]{36})")
_MAP_DEBUG_ID = re.compile(rb'"(?:debugId|debug_id)"\s*:\s*"([0-9a-fA-F-]{32,36})"')


class BundleUnusable(ErrataError):
    """The upload isn't a ZIP file, is damaged, or exceeds a limit."""

    code = "source_maps_unusable"


class _Stream:
    """An upload of which an archive reads no more at once than a directory of `MOST_FILES` files has: it
    reads the directory whole, and makes an object of each file in it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size if 0 <= size <= LARGEST_DIRECTORY else LARGEST_DIRECTORY + 1)
        if len(content) > LARGEST_DIRECTORY:
            raise BundleUnusable(f"The upload's directory has more than {LARGEST_DIRECTORY:,} bytes")
        if content.count(FILE_IN_DIRECTORY) > MOST_FILES:
            raise BundleUnusable(f"The upload contains more than {MOST_FILES:,} files")
        return content

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Headers(msgspec.Struct):
    """Names are theirs, in the spellings of tools."""

    debug_id: str = msgspec.field(default="", name="debug-id")
    debug_id_titled: str = msgspec.field(default="", name="Debug-Id")
    sourcemap: str = ""
    sourcemap_titled: str = msgspec.field(default="", name="Sourcemap")
    source_map_titled: str = msgspec.field(default="", name="SourceMap")


class _Listed(msgspec.Struct):
    type: str = ""
    url: str | None = None
    headers: _Headers | None = None


class _Manifest(msgspec.Struct):
    files: dict[str, _Listed]
    release: str | None = None
    dist: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A script or map of an upload, still packed. `name` is its URL, `~` for any host."""

    path: str
    name: str
    is_map: bool
    byte_count: int
    debug_id: UUID | None
    reference: str


@dataclass(frozen=True)
class Bundle:
    """An upload whose files can be read one by one. `release` and `dist` as its manifest says, or empty."""

    archive: zipfile.ZipFile
    files: tuple[File, ...]
    release: str = ""
    dist: str = ""

    def content(self, file: File) -> bytes:
        """Raises BundleUnusable if it is damaged."""
        return _read(self.archive, self.archive.getinfo(file.path), LARGEST_FILE)


def read_bundle(stream: IO[bytes], prefix: str = "") -> Bundle:
    """`prefix` stands before the paths of a folder without a manifest, such as `~/assets`. Raises
    BundleUnusable."""
    try:
        archive = zipfile.ZipFile(_Stream(stream))
    except DAMAGED as error:
        raise BundleUnusable("The upload isn't a ZIP file") from error
    entries = {info.filename: info for info in archive.infolist() if not info.filename.endswith("/")}
    total = sum(info.file_size for info in entries.values())
    if total > LARGEST_UPLOAD:
        raise BundleUnusable(f"The upload decompresses to {total:,} bytes; {LARGEST_UPLOAD:,} are allowed")
    for path in entries:
        if path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/"):
            raise BundleUnusable(f"The path {path[:200]!r} points outside the upload")
    if MANIFEST in entries:
        return _of_manifest(archive, entries)
    return Bundle(archive, tuple(_of_folder(archive, entries, prefix or ANY_HOST)))


def _of_manifest(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> Bundle:
    content = _read(archive, entries[MANIFEST], LARGEST_MANIFEST)
    # Each file has one, and its headers; so do some names.
    if content.count(b"{") > 4 * MOST_FILES:
        raise BundleUnusable("The upload's manifest.json lists too many files")
    try:
        manifest = msgspec.json.decode(content, type=_Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BundleUnusable("The upload's manifest.json can't be read") from error
    files = []
    for path, about in manifest.files.items():
        info = entries.get(path)
        if info is None:
            raise BundleUnusable(f"manifest.json names {path[:200]!r}, which isn't in the upload")
        file = _listed(archive, info, about)
        if file is not None:
            files.append(file)
    return Bundle(archive, tuple(files), (manifest.release or "")[:250], (manifest.dist or "")[:64])


def _listed(archive: zipfile.ZipFile, info: zipfile.ZipInfo, about: _Listed) -> File | None:
    if about.type not in (*SCRIPT_TYPES, *MAP_TYPES):
        return None
    headers = about.headers or _Headers()
    debug_id = debug_id_of(headers.debug_id or headers.debug_id_titled)
    reference = headers.sourcemap or headers.sourcemap_titled or headers.source_map_titled
    name = (about.url or f"{ANY_HOST}/{info.filename}")[:LONGEST_NAME]
    return _file(archive, info, name, about.type in MAP_TYPES, debug_id, reference)


def _of_folder(
    archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], prefix: str
) -> Iterator[File]:
    for path, info in sorted(entries.items()):
        if path.endswith((*SCRIPT_ENDINGS, MAP_ENDING)):
            name = f"{prefix.rstrip('/')}/{path.removeprefix('./')}"
            yield _file(archive, info, name[:LONGEST_NAME], path.endswith(MAP_ENDING), None, "")


def _file(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    name: str,
    is_map: bool,
    debug_id: UUID | None,
    reference: str,
) -> File:
    """Completed by what the file itself says."""
    if info.file_size > LARGEST_FILE:
        raise BundleUnusable(
            f"{info.filename[:200]!r} has {info.file_size:,} bytes; {LARGEST_FILE:,} are allowed"
        )
    if debug_id is None or not (reference or is_map):
        content = _read(archive, info, LARGEST_FILE)
        if is_map:
            found = _MAP_DEBUG_ID.search(content[:TAIL_BYTES]) or _MAP_DEBUG_ID.search(content[-TAIL_BYTES:])
            found = found or _MAP_DEBUG_ID.search(content)
        else:
            found = _last(_DEBUG_ID, content) or _INJECTED_ID.search(content)
            named = _last(_REFERENCE, content)
            reference = reference or (named[1].decode("utf-8", "replace") if named else "")
        debug_id = debug_id or (debug_id_of(found[1].decode()) if found else None)
    return File(info.filename, name, is_map, info.file_size, debug_id, reference)


def _last(pattern: re.Pattern[bytes], content: bytes) -> re.Match[bytes] | None:
    return max(pattern.finditer(content[-TAIL_BYTES:]), key=re.Match.start, default=None)


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """No more than `most` bytes, whatever the archive says of its size."""
    if info.compress_type not in PACKED_AS:
        raise BundleUnusable(f"{info.filename[:200]!r} has an unsupported compression method")
    content = bytearray()
    try:
        with archive.open(info) as file:
            while len(content) <= most and (read := file.read(READ_BYTES)):
                content += read
    except DAMAGED as error:
        raise BundleUnusable(f"{info.filename[:200]!r} in the upload is damaged") from error
    if len(content) > most:
        raise BundleUnusable(f"{info.filename[:200]!r} has more than {most:,} bytes")
    return bytes(content)


def content_id(content: bytes) -> UUID:
    return UUID(bytes=blake2b(content, digest_size=16).digest())


@dataclass(frozen=True, slots=True)
class Pair:
    """A script with its map, where the upload has both."""

    name: str
    debug_id: UUID | None
    script: File | None
    map: File | None
    reference: str


def pairs_of(bundle: Bundle) -> list[Pair]:
    """A map belongs to the script with its debug id, else to the one that refers to it, else to the one of
    its name without `.map`."""
    maps = [file for file in bundle.files if file.is_map]
    by_id = {file.debug_id: file for file in maps if file.debug_id}
    by_name = {file.name: file for file in maps}
    taken: set[str] = set()
    pairs = []
    for script in bundle.files:
        if script.is_map:
            continue
        # A map inside the script is a reference like any other.
        own = by_id.get(script.debug_id) if script.debug_id else None
        if own is None and script.reference and not script.reference.startswith("data:"):
            own = by_name.get(map_name(script.name, script.reference))
        own = own or by_name.get(script.name + MAP_ENDING)
        if own is not None:
            taken.add(own.path)
        pairs.append(Pair(script.name, script.debug_id, script, own, script.reference[:LONGEST_NAME]))
    for file in maps:
        if file.path not in taken:
            pairs.append(Pair(file.name.removesuffix(MAP_ENDING), file.debug_id, None, file, ""))
    return pairs
