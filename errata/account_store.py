"""The account store for commands: of the environment's settings, else of the data directory."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata.errors import ErrataError, InvalidParameter
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.state.organization import Organization
from errata.up.data_directory import DataDirectory

# No warehouse is reached; the settings of a program that has one name it.
NO_WAREHOUSE = "http://127.0.0.1:1"


class NoAccountStore(ErrataError):
    code = "no_account_store"

    def __init__(self, data: Path) -> None:
        super().__init__(
            f"{data} has no account store. Set the data directory with --data, or, for a service without "
            f"one, "
            f"set ERRATA_STATE_URL and ERRATA_SECRET"
        )


@dataclass(frozen=True)
class AccountStore:
    """`credentials_path` is the file of the service that has the current keys; None: it has none. `settings`:
    the environment, complete as that of the service."""

    store: Store
    credentials_path: Path | None
    settings: Mapping[str, str]

    def organization(self, name: str) -> Organization:
        """The one with this name, or the only one. Raises InvalidParameter."""
        self.store.ping()
        known = self.store.accounts.organizations()
        found = [each for each in known if each.name == name] if name else known
        if len(found) != 1:
            names = ", ".join(each.name for each in known) or "none yet"
            raise InvalidParameter("--organization", f"one of: {names}")
        return found[0]


@contextmanager
def account_store(environ: Mapping[str, str], data: Path) -> Iterator[AccountStore]:
    """Raises NoAccountStore."""
    opened = _opened(environ, data)
    with closing(opened.store):
        yield opened


def _opened(environ: Mapping[str, str], data: Path) -> AccountStore:
    directory = DataDirectory(data.resolve())
    # With the address alone, the secret is the directory's.
    if environ.get("ERRATA_STATE_URL", "") not in ("", directory.state_url):
        core = load(CoreSettings, environ)
        secret = core.secret.get_secret_value().encode()
        store = Store.open(core.state_url.get_secret_value(), secret, previous=core.previous_secrets)
        return AccountStore(store, core.credentials_path, environ)
    if not directory.has_state:
        raise NoAccountStore(data)
    secret_text = directory.secret()
    settings = {
        "ERRATA_WAREHOUSE_URL": NO_WAREHOUSE,
        **environ,
        "ERRATA_STATE_URL": directory.state_url,
        "ERRATA_SECRET": secret_text,
    }
    store = Store.open(directory.state_url, secret_text.encode())
    return AccountStore(store, directory.credentials_path, settings)
