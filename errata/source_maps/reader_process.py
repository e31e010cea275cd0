"""The process that opens uploaded maps. Scripts are parsed by recursion: a hostile one exhausts the stack,
which ends the process. It talks to `Reader` over a socket that is its standard input, and ends when that
closes."""

import os
import resource
import signal
from collections.abc import Sequence
from enum import StrEnum
from multiprocessing.connection import Connection
from uuid import UUID

import msgspec

from errata.source_maps.frames import Position
from errata.source_maps.opened import MapUnreadable, OpenedMap, OpenedMaps, Original, ReaderMissing

# Of all open maps and the one that is being opened, which takes up to six times its bytes.
MEMORY_BYTES = 1 << 30
# Of the processor, for a request: a map of 64 MiB takes two.
CPU_SECONDS = 10.0

# A position, or a character of the script, counted from 0 in UTF-16.
Place = Position | int
Key = tuple[UUID, UUID]


class Outcome(StrEnum):
    READ = "read"
    NOT_OPEN = "not_open"
    UNREADABLE = "unreadable"
    NO_READER = "no_reader"


class Request(msgspec.Struct, omit_defaults=True):
    """Places of a script, by the contents of script and map; these follow where they are not open yet."""

    key: Key
    places: Sequence[Place]
    has_contents: bool = False


class Response(msgspec.Struct, omit_defaults=True):
    """`originals` are in the order of the places."""

    outcome: Outcome
    detail: str = ""
    originals: list[Original | None] = []


def serve(connection: Connection) -> None:
    opened = OpenedMaps()
    decoder, encoder = msgspec.msgpack.Decoder(Request), msgspec.msgpack.Encoder()
    while True:
        try:
            sent = connection.recv_bytes()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        response = _response(decoder.decode(sent), opened, connection)
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send_bytes(encoder.encode(response))


def _response(request: Request, opened: OpenedMaps, connection: Connection) -> Response:
    try:
        source_map = opened.get(request.key)
        if request.has_contents:
            source_map = OpenedMap(connection.recv_bytes(), connection.recv_bytes())
            opened.keep(request.key, source_map)
        if source_map is None:
            return Response(Outcome.NOT_OPEN)
        return Response(Outcome.READ, originals=[_original(source_map, place) for place in request.places])
    except MapUnreadable as error:
        return Response(Outcome.UNREADABLE, str(error))
    except ReaderMissing:
        return Response(Outcome.NO_READER)


def _original(source_map: OpenedMap, place: Place) -> Original | None:
    return source_map.original(place) if isinstance(place, Position) else source_map.original_at(place)


def limit_process() -> None:
    """What goes beyond ends this process alone, and leaves no image of its memory on the disk."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Of the terminal: the parent ends, and this process after it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    limit_process()
    serve(Connection(os.dup(0)))
