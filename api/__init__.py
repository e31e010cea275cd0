"""Ingest and REST. A path may hold line breaks, as names of releases do: those of Starlette end there."""

from starlette.convertors import PathConvertor, register_url_convertor


class AnyPath(PathConvertor):
    regex = r"[\s\S]*"


# Before the first route is made, those of mounts included.
register_url_convertor("path", AnyPath())
