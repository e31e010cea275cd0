"""The health of the pipelines, by the heartbeats of all hosts in the state store."""

from api.context import Check
from errata.state.store import Store


def heartbeat_check(store: Store, *, is_expected: bool) -> Check:
    """A check: `off` if none are expected, `starting` until any have run, `failing` if on every host they
    ended, or run and do not build."""

    def check() -> str:
        if not is_expected:
            return "off"
        known = store.heartbeats.all()
        if not known:
            return "starting"
        now = store.database.now()
        return "ok" if any(each.is_building(now) for each in known) else "failing"

    return check
