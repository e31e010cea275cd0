"""The command of the web process: pages, ingest and REST, or ingest alone."""

from pathlib import Path

WEB = "dashboards.app:app"
INGEST = "api.app:ingest"


def web_arguments(
    host: str, port: int, tls_cert: Path | None, tls_key: Path | None, app: str = WEB
) -> list[str]:
    """Arguments of Python."""
    arguments = ["-m", "uvicorn", app, "--host", host, "--port", str(port)]
    arguments += ["--loop", "uvloop", "--http", "api.connections:Connection", "--ws", "none"]
    # Proxies are those of ERRATA_TRUSTED_PROXIES; uvicorn would believe anyone on this host.
    arguments += ["--no-access-log", "--no-proxy-headers"]
    if tls_cert is not None:
        arguments += ["--ssl-certfile", str(tls_cert)]
    if tls_key is not None:
        arguments += ["--ssl-keyfile", str(tls_key)]
    return arguments
