"""The batches on their way to the server, oldest first: several at once while it takes them."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

from errata_shipper.batch import Batch
from errata_shipper.delivery import Attempt, Delivery
from errata_shipper.scan import MAX_BATCH_BYTES
from errata_shipper.tail import Tail


@dataclass(frozen=True)
class Sent:
    tail: Tail
    batch: Batch
    first: "Future[Attempt]"


class Window:
    def __init__(self, delivery: Delivery, concurrency: int) -> None:
        self._delivery = delivery
        self._concurrency = concurrency
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="deliver")
        self._sent: deque[Sent] = deque()
        # Until the server has taken a batch, and after anything else, they go one by one.
        self._is_flowing = False

    @property
    def oldest(self) -> Sent | None:
        return self._sent[0] if self._sent else None

    @property
    def has_room(self) -> bool:
        if not self._sent:
            return True
        byte_count = sum(len(sent.batch.content) for sent in self._sent)
        return self._is_flowing and len(self._sent) < self._concurrency and byte_count < MAX_BATCH_BYTES

    def send(self, tail: Tail, batch: Batch) -> None:
        tail.read_on(batch)
        self._sent.append(Sent(tail, batch, self._threads.submit(self._delivery.attempt, batch)))

    def settle_oldest(self) -> None:
        """It is stored or set aside."""
        self._sent.popleft()
        self._is_flowing = True

    def recall(self) -> float:
        """Let all of it be sent again, as it was; the seconds that answers behind the oldest ask to wait."""
        self._is_flowing = False
        wait([sent.first for sent in self._sent])
        answered = [sent.first for sent in islice(self._sent, 1, None) if sent.first.exception() is None]
        for sent in self._sent:
            sent.tail.rewind()
        self._sent.clear()
        return max((first.result().retry_after for first in answered), default=0.0)

    def close(self) -> None:
        self._threads.shutdown()
