"""Original functions of the scripts that browsers name when a page was busy."""

from collections.abc import Collection, Sequence

from errata.performance.script import OriginalFunction
from errata.source_maps.paths import source_path
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.source_maps.uploads import Place, ProjectUploads


def original_functions(
    warehouse: Warehouse, projects: Sequence[int], places: Collection[Place]
) -> dict[Place, OriginalFunction]:
    """By place, as far as a project's uploads know it. Of what runs when a file is loaded there is none."""
    found: dict[Place, OriginalFunction] = {}
    asked = [place for place in places if place.character > 0]
    for project_id in projects if asked else ():
        for place, original in ProjectUploads(warehouse, project_id).originals_of(asked).items():
            source = f"{source_path(original.source)}:{original.line}"
            found[place] = OriginalFunction(original.function, source)
    return found
