from pathlib import Path
from typing import Any

import yaml

from errata_shipper.errors import ConfigurationInvalid


class _UniqueKeyLoader(yaml.SafeLoader):
    """YAML lets a key stand twice and takes the last; here that is a mistake worth naming."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [str(key.value) for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                mark = node.start_mark
                raise yaml.constructor.ConstructorError(None, None, f"{name} is defined twice", mark)
        return super().construct_mapping(node, deep)


def yaml_document(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigurationInvalid(path, ["file not found; pass its path with --config"]) from error
    except OSError as error:
        raise ConfigurationInvalid(
            path, [f"can't be read: {error.strerror}; give the shipper's user read access to it"]
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigurationInvalid(path, ["is not UTF-8 text; save it as UTF-8"]) from error
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)
    except (yaml.YAMLError, RecursionError) as error:
        # The error's own text shows the line, which may hold a key.
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        what = getattr(error, "problem", None) or "can't be parsed"
        raise ConfigurationInvalid(path, [f"{where}not valid YAML: {what}"]) from error
