"""Ingest and REST.

A path may hold line breaks, as names of releases do; Starlette's own path type ends at the first.
"""

from starlette.convertors import PathConvertor, register_url_convertor


class AnyPath(PathConvertor):
    regex = r"[\s\S]*"


# Set before the first route is made, including those of mounts.
register_url_convertor("path", AnyPath())
