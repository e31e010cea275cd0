"""Every fault, by its name."""

from collections.abc import Mapping

from tests.flow.faults import (
    content_faults,
    directory_faults,
    network_faults,
    rotation_faults,
    shipper_faults,
)
from tests.flow.faults.run import Fault

FAULTS: Mapping[str, Fault] = {
    fault.__name__: fault
    for fault in (
        rotation_faults.rename,
        rotation_faults.copytruncate,
        rotation_faults.refill_same_size,
        rotation_faults.refill_larger,
        rotation_faults.inode_reuse,
        rotation_faults.deleted_open,
        directory_faults.late_writer,
        directory_faults.other_time_zone,
        directory_faults.symlinked_file,
        directory_faults.symlinked_directory,
        directory_faults.old_files,
        directory_faults.clock_jump,
        content_faults.half_lines,
        content_faults.oversize_lines,
        content_faults.invalid_utf8,
        content_faults.nul_tail,
        content_faults.equal_beginnings,
        shipper_faults.two_shippers,
        shipper_faults.tracker_removed,
        shipper_faults.tracker_damaged,
        shipper_faults.stopped,
        shipper_faults.rejected_lines,
        shipper_faults.key_rotation,
        network_faults.server_down,
        network_faults.rate_limited,
        network_faults.too_large,
        network_faults.slow,
        network_faults.torn_answer,
        network_faults.torn_request,
        network_faults.lost_answer,
        network_faults.false_answer,
        network_faults.wrong_encoding,
    )
}
