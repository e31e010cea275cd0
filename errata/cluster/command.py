"""`errata cluster`: the shards of a cluster and their projects, and moves between them."""

import logging
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from errata.cluster.move import Move
from errata.errors import ErrataError, InvalidParameter
from errata.process_log.configured import configure
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.topology import at, whole


class MartsNotBuilt(ErrataError):
    """A build of a shard's marts has failed; its own messages say why."""

    code = "marts_not_built"

    def __init__(self, shard: int) -> None:
        super().__init__(f"The marts of shard {shard} couldn't be built, as the messages above say")


@dataclass(frozen=True)
class Chosen:
    """`action`: shards, move or confirm; `project`: its slug or id."""

    action: str
    project: str = ""
    to: int = 0


def cluster(environ: Mapping[str, str], chosen: Chosen) -> int:
    configure("cluster", environ, level=logging.INFO, text="%(asctime)s %(name)s %(message)s")
    settings = load(CoreSettings, environ)
    if not settings.warehouse_cluster:
        raise InvalidParameter("ERRATA_WAREHOUSE_CLUSTER", "must name the cluster")
    url = settings.admin_url
    found = whole(url, settings.warehouse_cluster)
    shards = {number: Warehouse(at(url, places)) for number, places in found.items()}
    state = Store.open(
        settings.state_url.get_secret_value(),
        settings.secret.get_secret_value().encode(),
        previous=settings.previous_secrets,
    )
    try:
        for line in _said(Move(state, shards, _build), chosen):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    finally:
        state.close()
        for shard in shards.values():
            shard.close()
    return 0


def _said(move: Move, chosen: Chosen) -> Iterator[str]:
    if chosen.action == "move":
        return move.run(chosen.project, chosen.to)
    if chosen.action == "confirm":
        return move.confirm(chosen.project)
    return _listed(move)


def _listed(move: Move) -> Iterator[str]:
    places = move.state.shards.places()
    for number, shard in move.shards.items():
        own = [place.slug for place in places if place.shard == number]
        left = [f"{place.slug} (left)" for place in places if place.left_shard == number]
        yield f"shard {number} at {shard.address}: {', '.join([*own, *left]) or 'no projects'}"


def _build(shard: int, since: datetime) -> None:
    """By the builder, which belongs to the pipelines, in a process of its own. Raises MartsNotBuilt."""
    program = ("-m", "pipelines.builder", "--shard", str(shard), "--since", since.isoformat())
    if subprocess.call([sys.executable, *program], stdout=subprocess.DEVNULL):
        raise MartsNotBuilt(shard)
