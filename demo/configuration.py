"""What a file of configuration holds of the sample shop, applied as people would."""

import os
import subprocess
import sys
from pathlib import Path

from demo.folder import DemoError, DemoFolder

FILE = Path(__file__).with_name("configuration.yaml")
# The channel is of the service's own mail server: whichever it is.
SETTINGS = {"ERRATA_MAIL_HOST": "127.0.0.1"}


def apply_configuration(folder: DemoFolder) -> None:
    arguments = ("config", "apply", str(FILE), "--data", str(folder.data))
    done = subprocess.run(
        [sys.executable, "-m", "errata", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **SETTINGS},
    )
    if done.returncode:
        raise DemoError(f"the configuration of the shop was not applied: {done.stderr.strip()}")
