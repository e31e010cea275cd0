"""How long people wait for each page: milliseconds to its first byte, and to its last, that of the last tile.

`python -m bench.page_times --address URL --email EMAIL --password PASSWORD` follows the links of a running
demonstration to an address of each page, and opens them one after the other, then as `--people` at once who
never pause, each in an order of their own.
"""

import argparse
import random
import re
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import urllib3

from bench.figures import figure
from tests.authorization_table import LEVEL_OF

LINK = re.compile(r'(?:href|data-(?:from|source|url))="(/[^"#]*)"')
PARAMETER = re.compile(r"\\\{\w+\\\}")
ENTITY = "&amp;"
# Links of one demonstration; more would be addresses without end.
FOLLOWED_MOST = 600


@dataclass
class Person:
    """Somebody who is signed in, with a connection of their own."""

    address: str
    cookie: str
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(maxsize=1))

    @classmethod
    def signed_in(cls, address: str, email: str, password: str) -> "Person":
        answer = urllib3.request(
            "POST", f"{address}/api/auth/sign-in", json={"email": email, "password": password}
        )
        return cls(address, answer.headers["Set-Cookie"].split(";")[0])

    def open(self, path: str) -> tuple[str, "Taken"]:
        """The page, empty if it is none, and how long it took."""
        began = time.perf_counter()
        headers = {"Cookie": self.cookie, "Accept": "text/html", "Accept-Encoding": "gzip"}
        answer = self.pool.request("GET", self.address + path, headers=headers, preload_content=False)
        text = bytearray(answer.read(1, decode_content=False))
        first = time.perf_counter()
        text += answer.read(decode_content=False)
        taken = Taken((first - began) * 1000, (time.perf_counter() - began) * 1000)
        answer.release_conn()
        is_page = answer.status == 200 and answer.headers.get("content-type", "").startswith("text/html")
        if answer.status >= 500:
            raise RuntimeError(f"{path}: {answer.status}")
        if not is_page:
            return "", taken
        encoded = urllib3.HTTPResponse(bytes(text), headers=answer.headers, preload_content=True)
        return encoded.data.decode(), taken


@dataclass(frozen=True)
class Taken:
    """Milliseconds."""

    first: float
    last: float


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--address", "--email", "--password"):
        parser.add_argument(name, required=True)
    parser.add_argument("--times", type=int, default=10, help="how often each is opened by one person")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3, help="how often each of them opens each page")
    given = parser.parse_args()
    everybody = [Person.signed_in(given.address, given.email, given.password) for _ in range(given.people)]
    pages = pages_of(everybody[0])
    idle = _opened(everybody[:1], pages, given.times)
    busy = _opened(everybody, pages, given.rounds)
    for name, found in (("alone", idle), ("together", busy)):
        for page, taken in found.items():
            figure(
                f"page_last_byte_p95_{name}",
                _at([one.last for one in taken], 0.95),
                "ms",
                **_facts(page, taken),
            )
        everything = [one for taken in found.values() for one in taken]
        figure(
            f"pages_last_byte_p95_{name}",
            _at([one.last for one in everything], 0.95),
            "ms",
            **_facts("all", everything),
        )


def pages_of(person: Person) -> Mapping[str, str]:
    """An address of each page that links lead to, by the template of its route."""
    templates = {
        template: re.compile(PARAMETER.sub("[^/?]+", re.escape(template)) + r"(?:\?.*)?")
        for method, template in (line.split() for line in LEVEL_OF)
        if method == "GET" and not template.startswith("/api/")
    }
    found: dict[str, str] = {}
    met, waiting = {"/"}, deque(["/", "/projects"])
    while waiting and len(met) < FOLLOWED_MOST:
        path = waiting.popleft()
        text, _ = person.open(path)
        if not text:
            continue
        template = next((each for each, form in templates.items() if form.fullmatch(path)), path)
        if template in found:
            continue
        found[template] = path
        for link in LINK.findall(text):
            link = link.replace(ENTITY, "&")
            if link not in met and not link.startswith(("/static", "/api/", "/docs")):
                met.add(link)
                waiting.append(link)
    return found


def _opened(
    everybody: Sequence[Person], pages: Mapping[str, str], times: int
) -> Mapping[str, Sequence[Taken]]:
    taken: dict[str, list[Taken]] = defaultdict(list)

    def walk(person: Person, seed: int) -> None:
        order = list(pages.items()) * times
        random.Random(seed).shuffle(order)
        for template, path in order:
            taken[template].append(person.open(path)[1])

    threads = [threading.Thread(target=walk, args=(person, seed)) for seed, person in enumerate(everybody)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(taken.items()))


def _facts(page: str, taken: Sequence[Taken]) -> Mapping[str, object]:
    first = [one.first for one in taken]
    return {
        "page": page,
        "p50": round(_at([one.last for one in taken], 0.5), 1),
        "first_byte": {"p50": round(_at(first, 0.5), 1), "p95": round(_at(first, 0.95), 1)},
        "times": len(taken),
    }


def _at(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


if __name__ == "__main__":
    main()
