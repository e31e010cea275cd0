"""The stored configuration as a file."""

from collections.abc import Sequence
from typing import Any

import yaml

from errata.configuration.context import Context
from errata.configuration.file_shape import VERSION
from errata.configuration.kind import Kind
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT

HEAD = """\
# Written by `errata config export`. Secrets are references: set the variables, or use file:PATH.
"""


def exported_text(context: Context) -> str:
    """Raises NameNotUnique."""
    return HEAD + yaml.dump(exported(context), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def exported(context: Context) -> dict[str, Any]:
    projects = context.store.projects.of_organization(context.organization_id)
    return {
        "version": VERSION,
        **_values(context, OF_ORGANIZATION),
        "projects": [
            {
                "slug": project.slug,
                "name": project.name,
                **({"platform": project.platform} if project.platform else {}),
                **_values(context.of(project.slug), OF_PROJECT),
            }
            for project in projects
        ],
    }


def _values(context: Context, kinds: Sequence[Kind[Any]]) -> dict[str, Any]:
    found = {kind.field: kind.exported(context) for kind in kinds}
    return {name: value for name, value in found.items() if value is not None}


class _Dumper(yaml.SafeDumper):
    """Never with aliases, which a file may not have."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True
