"""Rows of a copy, out of indices as the engine writes them."""

from pathlib import Path

from errata.backup.directory import BackupDirectory
from errata.backup.stored_rows import INDEX, stored_rows

FILE = "<file><name>{}</name><size>1</size><checksum>{}</checksum>{}</file>"
IN_BASE = "<base_size>1</base_size><use_base>true</use_base>"


def write_copy(folder: Path, stored: dict[str, str], others: list[tuple[str, str, str]]) -> None:
    """`stored`: contents of files; `others`: name, content and where it is."""
    for name, content in stored.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    files = [FILE.format(name, f"sum-{content}", "") for name, content in stored.items()]
    files += [FILE.format(name, f"sum-{content}", where) for name, content, where in others]
    (folder / INDEX).write_text(f"<config><contents>{''.join(files)}</contents></config>")


def test_a_count_may_be_stored_as_another_file_that_says_the_same(tmp_path: Path) -> None:
    """A part without rows, as an erasure leaves it, counts "0", which is the content of other files, too."""
    part = "data/errata_raw/{}/all_1_1_{}/{}"
    version, count = part.format("views", 0, "metadata_version.txt"), part.format("views", 0, "count.txt")
    of_projection = part.format("views", 0, "by_hour.proj/count.txt")
    write_copy(tmp_path / "base" / "events", {version: "0", count: "20", of_projection: "7"}, [])
    write_copy(
        tmp_path / "new" / "events",
        {part.format("spans", 0, "count.txt"): "4", part.format("logs", 1, "metadata_version.txt"): "1"},
        [
            (count, "20", IN_BASE),
            (part.format("views", 2, "count.txt"), "0", IN_BASE),
            (part.format("hours", 3, "count.txt"), "7", IN_BASE),
            (
                part.format("spans", 4, "count.txt"),
                "1",
                f"<data_file>{part.format('logs', 1, 'metadata_version.txt')}</data_file>",
            ),
        ],
    )
    rows = stored_rows(BackupDirectory(tmp_path), ["new", "base"], "events")
    assert rows == {"errata_raw.views": 20, "errata_raw.hours": 7, "errata_raw.spans": 5}
    assert stored_rows(BackupDirectory(tmp_path), [], "events") == {}
