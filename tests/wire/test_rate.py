from errata_wire.address import network
from errata_wire.rate import Rates

from tests.cases import each


def test_a_bucket_fills_again_and_old_ones_are_forgotten() -> None:
    now = [0.0]
    rates = Rates(0.1, lambda: now[0], bucket_count=10_000)
    assert [rates.take("a"), rates.take("a"), rates.take("b")] == [0, 10, 0]
    now[0] = 9.9
    assert rates.take("a") == 1
    now[0] = 10.0
    assert rates.take("a") == 0
    for number in range(10_000):
        rates.take(str(number))
    assert rates.take("a") == 0


def test_several_are_taken_at_once_or_none_of_them() -> None:
    rates = Rates(1, lambda: 0.0, bucket_count=2)
    assert rates.burst == 10
    assert [rates.take("a", 8), rates.take("a", 5), rates.take("a", 2), rates.take("a")] == [0, 3, 0, 1]


def test_a_bucket_that_nobody_took_from_for_long_holds_one_burst() -> None:
    now = [0.0]
    rates = Rates(1, lambda: now[0], bucket_count=2)
    assert rates.take("a", 10) == 0
    now[0] = 86_400.0
    assert [rates.take("a", 11), rates.take("a", 10), rates.take("a")] == [1, 0, 1]


@each(
    ("address", "expected"),
    [
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("198.51.100.7", "198.51.100.7"),
    ],
)
def test_an_address_of_ipv6_counts_as_its_network(address: str, expected: str) -> None:
    assert network(address) == expected
