"""The memory held by deliveries until their response, by organization."""

from collections import Counter

# As sent. Each host of a fleet delivers one body of a few hundred kB at a time.
HELD_MAX_BYTES = 64 << 20


class Bodies:
    """The bodies of one event loop. A delivery always fits if there is no other."""

    def __init__(self, most_bytes: int = HELD_MAX_BYTES) -> None:
        self.most_bytes = most_bytes
        self.held = Counter[int]()

    def hold(self, organization_id: int) -> "Held":
        return Held(self, organization_id)


class Held:
    """What one delivery holds until it is left: `with bodies.hold(organization_id) as held`."""

    def __init__(self, bodies: Bodies, organization_id: int) -> None:
        self._bodies = bodies
        self._organization_id = organization_id
        self._own = 0

    def take(self, byte_count: int) -> bool:
        """Reserves memory for more bytes; False if the limit is reached."""
        of_all = self._bodies.held[self._organization_id]
        if of_all > self._own and of_all + byte_count > self._bodies.most_bytes:
            return False
        self._bodies.held[self._organization_id] += byte_count
        self._own += byte_count
        return True

    def give_back(self) -> None:
        self._bodies.held[self._organization_id] -= self._own
        self._own = 0
        if not self._bodies.held[self._organization_id]:
            del self._bodies.held[self._organization_id]

    def __enter__(self) -> "Held":
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()
