"""`errata migrate`: warehouse and state store brought to this version."""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from errata.settings import CoreSettings, load
from errata.state import Store
from errata.up.credentials import ensure_first_account
from errata.up.data_directory import DataDirectory
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate

log = logging.getLogger("errata.migrate")


def migrate_all(environ: Mapping[str, str], first_account: Path | None) -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    settings = load(CoreSettings, environ)
    warehouse = Warehouse(settings.admin_url)
    for name in migrate(warehouse):
        log.info("applied %s", name)
    store = Store.open(
        settings.state_url.get_secret_value(),
        settings.secret.get_secret_value().encode(),
        previous=settings.previous_secrets,
    )
    store.migrate()
    store.secrets.reseal()
    if first_account is not None:
        ensure_first_account(DataDirectory(first_account), store, settings.base_url)
    store.close()
    warehouse.close()
    return 0
