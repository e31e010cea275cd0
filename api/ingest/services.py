"""The services of a delivery's lines, as the delivery ledger tells them apart."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from errata.service_names import SEVERAL_SERVICES


@dataclass(frozen=True, slots=True)
class Services:
    """`lines`: service, accepted and rejected lines of each; empty if all are of `service`."""

    service: str
    lines: list[tuple[str, int, int]]


def services_of(
    project_id: int, service: str, accepted: Mapping[tuple[int, str], int], rejected: Mapping[str, int]
) -> Services:
    """The services of a delivery with a key of this project and service.

    `accepted`: lines by project and service, `rejected`: lines by service. A line of another project counts
    here, as all lines of the delivery do, with the service of the delivery's own key.
    """
    counts = Counter[str]()
    for (line_project_id, line_service), count in accepted.items():
        counts[line_service if line_project_id == project_id else service] += count
    named = {name for line_project_id, name in accepted if line_project_id == project_id} or {service}
    of_all = named.pop() if len(named) == 1 else SEVERAL_SERVICES
    lines = [(name, counts[name], rejected.get(name, 0)) for name in sorted(counts.keys() | rejected.keys())]
    return Services(of_all, [] if all(name == of_all for name, *_ in lines) else lines)
