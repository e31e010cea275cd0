"""A part does not outlive a supervisor that was killed, even between its fork and its start."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from errata.up.child import end_with_parent
from tests.cases import each


@pytest.mark.skipif(sys.platform != "linux", reason="the signal is Linux's")
@each(("parent", "code"), [(os.getpid, 0), (os.getppid, 1)], ids=["alive", "gone"])
def test_a_child_whose_parent_is_gone_runs_nothing(parent: Callable[[], int], code: int) -> None:
    done = subprocess.run(["true"], preexec_fn=partial(end_with_parent, parent()), check=False)
    assert done.returncode == code
