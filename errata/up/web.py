"""The command of the web process: pages, ingest and REST, or ingest alone."""

import ssl
from pathlib import Path

import errata_wire

from errata.errors import ErrataError
from errata.process_log.log_format import UVICORN, LogFormat

WEB = "dashboards.app:app"
INGEST = "api.app:ingest"
ROOT = Path(__file__).parents[2]
LOADED = (
    *(ROOT / name for name in ("errata", "api", "dashboards", "warehouse_sql")),
    Path(errata_wire.__file__).parent,
)


class CertificateUnusable(ErrataError):
    code = "certificate_unusable"
    is_final = True

    def __init__(self, certificate: Path, key: Path, reason: str) -> None:
        super().__init__(f"{certificate} and {key} can't be used for TLS: {reason}")


def require_certificate(certificate: Path | None, key: Path | None) -> None:
    """Raises CertificateUnusable."""
    if certificate is None or key is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        reason = (
            "the key belongs to another certificate" if error.reason == "KEY_VALUES_MISMATCH" else "not PEM"
        )
        raise CertificateUnusable(certificate, key, reason) from error
    except OSError as error:
        raise CertificateUnusable(certificate, key, error.strerror or str(error)) from error


def web_arguments(
    host: str,
    port: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    app: str = WEB,
    workers: int = 1,
    *,
    reloads: bool = False,
    logs: LogFormat = LogFormat.TEXT,
) -> list[str]:
    """Arguments of Python. More than one worker share the port: uvicorn starts them, and those that end.
    `reloads`: it starts the process anew when a file of it has changed, for development."""
    arguments = ["-m", "uvicorn", app, "--host", host, "--port", str(port)]
    arguments += ["--loop", "uvloop", "--http", "api.connections:Connection", "--ws", "none"]
    # Proxies are those of ERRATA_TRUSTED_PROXIES; uvicorn would believe anyone on this host.
    arguments += ["--no-access-log", "--no-proxy-headers"]
    if logs is LogFormat.JSON:
        arguments += ["--log-config", str(UVICORN)]
    if workers > 1:
        arguments += ["--workers", str(workers)]
    if reloads:
        arguments += ["--reload", "--reload-include", "*.sql", "--reload-include", "*.html"]
        arguments += [word for folder in LOADED for word in ("--reload-dir", str(folder))]
    if tls_cert is not None:
        arguments += ["--ssl-certfile", str(tls_cert)]
    if tls_key is not None:
        arguments += ["--ssl-keyfile", str(tls_key)]
    return arguments
