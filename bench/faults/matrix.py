"""Every fault, by its name."""

from collections.abc import Mapping

from bench.faults import file_faults, network_faults
from bench.faults.run import Fault

FAULTS: Mapping[str, Fault] = {
    fault.__name__: fault
    for fault in (
        file_faults.rename,
        network_faults.lost_answer,
    )
}
