"""The health of the pipelines, by the heartbeats of all hosts in the state store."""

from datetime import timedelta

from api.context import Check
from errata.state.store import Store

# They look for work every ten seconds.
STALE_AFTER = timedelta(seconds=120)
# The schedule builds every five minutes; a backfill may delay a build.
LONGEST_WITHOUT_BUILD = timedelta(minutes=30)


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
        return (
            "ok"
            if any(
                now - each.alive_at < STALE_AFTER and now - each.built_at < LONGEST_WITHOUT_BUILD
                for each in known
            )
            else "failing"
        )

    return check
