"""A query that adds what came in since a build computes it exactly as the mart's model does."""

import pytest

from errata.warehouse import sql


def steps(name: str, first: str, last: str) -> str:
    text = (sql.DIRECTORY / f"{name}.sql").read_text()
    start, end = text.index(f"\n{first} as "), text.index(f"\n{last} as (")
    # To the end of the last step: its closing parenthesis stands alone on a line.
    return text[start : text.index("\n)", end)]


@pytest.mark.parametrize(
    ("mart", "reader", "first", "last"),
    [
        ("delivery_daily", "parts/delivery_files", "batches", "batches"),
        ("delivery_daily", "parts/delivery_files", "sent", "sent"),
        ("delivery_daily", "parts/delivery_files", "ranges", "files"),
    ],
)
def test_the_live_edge_is_counted_by_the_steps_of_the_model(
    mart: str, reader: str, first: str, last: str
) -> None:
    assert steps(f"marts/{mart}", first, last) == steps(reader, first, last)
