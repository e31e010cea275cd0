"""The shape of a file of configuration, and its published JSON Schema."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError, create_model

from errata.configuration.context import Given, ProjectGiven
from errata.configuration.errors import ConfigurationRefused, Problem
from errata.configuration.kind import Entry, Kind
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT
from errata.configuration.source import Source

VERSION = 1


def _fields(kinds: Sequence[Kind[Any]]) -> dict[str, Any]:
    return {kind.field: (kind.shape | None, Field(None, description=kind.description)) for kind in kinds}


ProjectEntry = create_model(
    "Project",
    __base__=Entry,
    slug=(str, Field(description="The project's name in addresses, which identifies it.")),
    name=(str, Field(description="Display name.")),
    platform=(str, Field("", description="Such as `python`.")),
    **_fields(OF_PROJECT),
)
PROJECTS: Any = list[ProjectEntry] | None  # type: ignore[valid-type]
FileEntry = create_model(
    "Configuration",
    __base__=Entry,
    version=(Literal[1], Field(description="Of this shape.")),
    **_fields(OF_ORGANIZATION),
    projects=(PROJECTS, Field(None, description="Projects; others don't change.")),
)


def schema() -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **FileEntry.model_json_schema()}


def schema_text() -> str:
    return json.dumps(schema(), indent=2) + "\n"


def shaped(source: Source) -> Given:
    """Raises ConfigurationRefused with everything that has another shape."""
    try:
        found: Any = FileEntry.model_validate(source.value)
    except ValidationError as error:
        raise ConfigurationRefused(source.path, list(_problems(source, error))) from None
    projects = None
    if found.projects is not None:
        projects = [
            ProjectGiven(each.slug, each.name, each.platform, _values(each, OF_PROJECT))
            for each in found.projects
        ]
    return Given(_values(found, OF_ORGANIZATION), projects)


def _values(entry: Any, kinds: Sequence[Kind[Any]]) -> dict[str, Any]:
    values = {kind.field: getattr(entry, kind.field) for kind in kinds}
    return {name: value for name, value in values.items() if value is not None}


def _problems(source: Source, error: ValidationError) -> Iterator[Problem]:
    for detail in error.errors(include_input=False, include_url=False):
        yield source.problem(tuple(detail["loc"]), _reason(detail))


def _reason(detail: Any) -> str:
    """In our words, and without the value, which could be a secret."""
    context = detail.get("ctx", {})
    words = {
        "missing": "missing",
        "extra_forbidden": "unknown field",
        "string_type": "must be text; put it in quotes",
        "string_pattern_mismatch": "has an invalid format",
        "int_type": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_type": "must be a number",
        "bool_type": "must be true or false",
        "list_type": "must be a list",
        "dict_type": "must be a mapping of fields",
        "model_type": "must be a mapping of fields",
        "model_attributes_type": "must be a mapping of fields",
        "enum": f"must be one of {context.get('expected')}",
        "literal_error": f"must be {context.get('expected')}",
        "greater_than_equal": f"must be at least {context.get('ge')}",
        "less_than_equal": f"must be at most {context.get('le')}",
    }
    return words.get(detail["type"], str(detail["msg"]))
