"""The section `intake` of errata.yaml."""

import re
from pathlib import Path

import pytest
from errata_shipper.intake.settings import IntakeSettings
from errata_shipper.settings import load_settings

from tests.shipper.configuration import problems_of, written


def test_it_is_off_unless_it_is_told_where_to_listen(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path)).intake is None
    problems = problems_of(written(tmp_path, intake="{sync: true}"))
    assert problems == ["errata.intake.listen: is required; see errata.yaml.example"]


@pytest.mark.parametrize(
    ("listen", "host", "port", "is_loopback"),
    [
        ("127.0.0.1:8123", "127.0.0.1", 8123, True),
        ("'8123'", "127.0.0.1", 8123, True),
        ("':9000'", "127.0.0.1", 9000, True),
        ("localhost:8123", "localhost", 8123, True),
        ("'[::1]:8123'", "::1", 8123, True),
        ("0.0.0.0:8123", "0.0.0.0", 8123, False),
        ("web-1.internal:80", "web-1.internal", 80, False),
    ],
)
def test_where_it_listens(listen: str, host: str, port: int, is_loopback: bool, tmp_path: Path) -> None:
    intake = load_settings(written(tmp_path, intake=f"{{listen: {listen}}}")).intake
    assert intake == IntakeSettings(host, port)
    assert intake.is_loopback is is_loopback


def test_every_field_is_read(tmp_path: Path) -> None:
    fields = (
        "listen: '8123', origins: [https://shop.example.com], hosts: shipper, maxBody: 1MiB, rateLimit: 5, "
        "trustedProxies: 1, sync: true, keepDelivered: 168h, maxSize: 2GiB"
    )
    assert load_settings(written(tmp_path, intake=f"{{{fields}}}")).intake == IntakeSettings(
        origins=("https://shop.example.com",),
        hosts=("shipper",),
        max_body_bytes=1 << 20,
        items_per_second=5,
        trusted_proxies=1,
        sync=True,
        keep_delivered_seconds=168 * 3600,
        max_size_bytes=2 << 30,
    )


def test_every_mistake_is_named_with_its_remedy(tmp_path: Path) -> None:
    fields = (
        "listen: 127.0.0.1, origins: [shop.example.com/], hosts: ['a:80'], maxBody: 1MB, maxSize: 1KiB, "
        "keepDelivered: 3d, trustedProxys: 1"
    )
    assert problems_of(written(tmp_path, intake=f"{{{fields}}}")) == [
        "errata.intake.listen: '127.0.0.1' is not an address with a port; use one such as 127.0.0.1:8123",
        "errata.intake.origins: 'shop.example.com/' is not of the form https://shop.example.com",
        "errata.intake.hosts: 'a:80' is not of the form errata-shipper",
        "errata.intake.maxBody: '1MB' is not a size; use one such as 512KiB, 32MiB or 4GiB",
        "errata.intake.keepDelivered: '3d' is not a duration; use one such as 500ms, 5s, 2m, 1h or 1m30s",
        "errata.intake.maxSize: 1KiB is not between 1MiB and 1024GiB; choose a size in this range",
        "errata.intake.trustedProxys: unknown field; did you mean trustedProxies?",
    ]


def test_the_example_shows_every_field_with_its_default(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "shipper" / "errata.yaml.example").read_text()
    path = tmp_path / "errata.yaml"
    path.write_text(re.sub(r"^  # (intake:|  \w+: )", r"  \1", text, flags=re.MULTILINE))
    assert load_settings(path).intake == IntakeSettings()
    (problem,) = problems_of(written(tmp_path, intake="{listen: '1', colour: blue}"))
    named = set(re.findall(r"^  #   (\w+):", text, flags=re.MULTILINE))
    assert named == set(problem.partition("the fields are ")[2].split(", "))
