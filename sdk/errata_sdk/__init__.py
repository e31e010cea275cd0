"""The Sentry SDK, writing to a local log file that the Errata shipper delivers."""

from errata_sdk.client import init
from errata_sdk.transport import FileTransport

__version__ = "0.5.0"
__all__ = ["FileTransport", "__version__", "init"]
