"""Names of original files as people and grouping read them."""

import re

_SCHEME = re.compile(r"^(?:webpack|webpack-internal|turbopack|file|ng|rollup):/{2,3}")
_LOADER_QUERY = re.compile(r"\?[0-9a-f]{4,}$|\?[a-z]+(?:&[a-z.=]+)*$")
_VENDOR = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|jspm_packages)/|^(?:webpack|vite|rollup)/|^\(webpack\)"
)
_NAMESPACE = re.compile(r"^(?:_N_E|\[project\]|[\w.@-]+(?=/\./))/")


def source_path(source: str) -> str:
    """The path below the root of the sources: without a bundler's scheme, the package's name in it and the
    way up from the folder of the build."""
    path = _SCHEME.sub("", source.replace("\\", "/"))
    path = _LOADER_QUERY.sub("", _NAMESPACE.sub("", path))
    while path.startswith(("./", "../")):
        path = path.partition("/")[2]
    return path or source


def is_vendor(path: str) -> bool:
    """Whether a file of that path belongs to a package or a bundler."""
    return bool(_VENDOR.search(path))
