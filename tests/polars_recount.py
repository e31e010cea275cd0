"""Performance tables counted anew from raw rows by polars: what marts and answers must equal."""

from collections.abc import Sequence
from datetime import timedelta

import polars as pl

from errata.warehouse.client import Warehouse

VIEW_COLUMNS = """
    project_id, view_id, occurred_at, received_at, toString(item_id) as item_id, is_load,
    toString(trace_id) as trace_id, navigation_type, page, environment, release, device, started_at_ms,
    duration_ms, load_at_ms, dom_ready_at_ms, response_at_ms, ttfb_ms, fp_ms, fcp_ms, lcp_ms, cls, inp_ms,
    tupleElement(resource_intervals, 1) as starts_ms, tupleElement(resource_intervals, 2) as ends_ms, call_ms,
    lcp_element, lcp_url, lcp_size, inp_target, inp_at_ms, cls_sources, frames
"""
RESOURCE_COLUMNS = """
    project_id, view_id, received_at, toString(item_id) as item_id, type, url, start_us, duration_ms,
    transfer_bytes, body_bytes, decoded_bytes, is_render_blocking, is_cached, status_code
"""
REQUEST_COLUMNS = """
    project_id, side, host, method, route, occurred_at, received_at, toString(item_id) as item_id,
    environment, release, status_code, duration_ms
"""
MEASURED = (
    "load_ms",
    "load_at_most_ms",
    "unended_ms",
    "ttfb_ms",
    "dom_ready_ms",
    "fp_ms",
    "fcp_ms",
    "lcp_ms",
    "cls",
    "inp_ms",
    "resources_ms",
)
OF_VIEW = ("project_id", "view_id")
WAITS = timedelta(days=2)
DAY_MS = 86_400_000.0
QUANTILES = {"p50": 0.5, "p75": 0.75, "p95": 0.95}


def raw(warehouse: Warehouse, table: str, columns: str) -> pl.DataFrame:
    """As delivered; of copies of an item the one received first."""
    statement = f"select {columns} from errata_raw.{table} order by received_at, item_id"
    rows = pl.DataFrame(warehouse.columns(statement), infer_schema_length=None)
    return rows.unique(["project_id", "item_id"], keep="first", maintain_order=True)


def counted(samples: pl.DataFrame, keys: Sequence[str], value: str = "value") -> pl.DataFrame:
    """Count, sum and linear percentiles of each cell."""
    percentiles = [
        pl.col(value).quantile(share, interpolation="linear").alias(name) for name, share in QUANTILES.items()
    ]
    return samples.group_by(keys).agg(pl.len().alias("count"), pl.col(value).sum().alias("sum"), *percentiles)


def page_samples(parts: pl.DataFrame) -> pl.DataFrame:
    """A row per view and metric, and one per call; `view` stands for the view itself."""
    loads = parts.filter(pl.col("is_load"))
    views = _views(_owned(parts, loads), loads)
    told = views.unpivot(
        MEASURED,
        index=[*OF_VIEW, "at", "page", "navigation_type", "environment", "release", "device"],
        variable_name="metric",
    )
    index = [name for name in told.columns if name not in ("metric", "value")]
    itself = views.select(*index, metric=pl.lit("view"), value=pl.lit(0.0))
    calls = (
        views.select(*index, metric=pl.lit("api_ms"), value=pl.col("calls"))
        .explode("value")
        .drop_nulls("value")
    )
    return pl.concat([told, itself, calls], how="vertical").drop_nulls("value")


def _owned(parts: pl.DataFrame, loads: pl.DataFrame) -> pl.DataFrame:
    """Each part with its view: one that names its trace alone is of the view that was open then."""
    opened = loads.select("project_id", "trace_id", "started_at_ms", owner_id="view_id").sort("started_at_ms")
    first = opened.group_by("project_id", "trace_id", maintain_order=True).agg(
        pl.col("owner_id").first().alias("first_id")
    )
    return (
        parts.sort("started_at_ms")
        .join_asof(opened, on="started_at_ms", by=["project_id", "trace_id"], check_sortedness=False)
        .join(first, on=["project_id", "trace_id"], how="left")
        .with_columns(
            pl.when(pl.col("view_id") != 0)
            .then("view_id")
            .otherwise(pl.coalesce("owner_id", "first_id"))
            .alias("view_id")
        )
        .drop("owner_id", "first_id")
    )


def parts_of_views(parts: pl.DataFrame) -> pl.DataFrame:
    """Each part that counts, with where and when its view was, in order of time."""
    loads = parts.filter(pl.col("is_load"))
    return _joined(_owned(parts, loads), loads)


def _joined(parts: pl.DataFrame, loads: pl.DataFrame) -> pl.DataFrame:
    opening = loads.select(
        *OF_VIEW,
        "page",
        "navigation_type",
        "environment",
        "release",
        "device",
        at="occurred_at",
        arrived_at="received_at",
        begun_ms="started_at_ms",
    )
    return (
        parts.drop("page", "environment", "release", "device")
        .rename({"navigation_type": "said_type"})
        .join(opening, on=OF_VIEW)
        .filter(
            pl.col("said_type").is_in(["", "soft-navigation", "back-forward-cache", "navigate"])
            & ((pl.col("said_type") == "") | (pl.col("said_type") == pl.col("navigation_type")))
            & ((pl.col("received_at") - pl.col("arrived_at")).abs() <= WAITS)
        )
        .with_columns(pl.col(pl.Float64).fill_nan(None))
        .sort("occurred_at", "item_id")
    )


PLACES = (*OF_VIEW, "page", "navigation_type", "environment", "release", "device", "at", "arrived_at")


def _views(parts: pl.DataFrame, loads: pl.DataFrame) -> pl.DataFrame:
    joined = _joined(parts, loads)
    since = pl.col("begun_ms").first()
    views = (
        joined.group_by(PLACES)
        .agg(
            # Of moments of this century a Float64 keeps three decimals of a millisecond.
            (pl.col("load_at_ms").max() - since).round(3).alias("load_ms"),
            pl.coalesce(pl.col("ttfb_ms").max(), (pl.col("response_at_ms").max() - since).round(3)).alias(
                "ttfb_ms"
            ),
            (pl.col("dom_ready_at_ms").max() - since).round(3).alias("dom_ready_ms"),
            pl.col("fp_ms", "fcp_ms", "cls", "inp_ms").max(),
            pl.col("lcp_ms").drop_nulls().last(),
            pl.col("call_ms").explode().drop_nulls().alias("calls"),
            # The end of the view's span; of no use where nothing is known of the navigation.
            pl.when(
                pl.coalesce(
                    pl.col("ttfb_ms").max(), pl.col("response_at_ms").max(), pl.col("dom_ready_at_ms").max()
                ).is_not_null()
                & pl.col("load_at_ms").max().is_null()
                & (pl.col("navigation_type").first() == "navigate")
            )
            .then(pl.col("duration_ms").max().round(3))
            .alias("unended_ms"),
        )
        .with_columns(
            load_ms=pl.coalesce("load_ms", "unended_ms"),
            load_at_most_ms=pl.coalesce("load_ms", pl.when(pl.col("unended_ms").is_not_null()).then(DAY_MS)),
        )
    )
    return views.join(_covered(joined), on=OF_VIEW, how="left")


def _covered(joined: pl.DataFrame) -> pl.DataFrame:
    """In how many milliseconds of each view any resource was loading."""
    reached = pl.col("ends_ms").cum_max().shift(1).over(OF_VIEW)
    return (
        joined.select(*OF_VIEW, "starts_ms", "ends_ms")
        .explode("starts_ms", "ends_ms")
        .drop_nulls()
        .sort("starts_ms")
        .with_columns(from_ms=pl.max_horizontal("starts_ms", reached))
        .group_by(OF_VIEW)
        .agg((pl.col("ends_ms") - pl.col("from_ms")).clip(lower_bound=0).sum().round(3).alias("resources_ms"))
    )


def resources_of_views(resources: pl.DataFrame, parts: pl.DataFrame) -> pl.DataFrame:
    """Each resource with where and when its view was, and how long it kept the first paint back."""
    opening = parts.filter(pl.col("is_load")).select(
        *OF_VIEW,
        "page",
        "navigation_type",
        "environment",
        "release",
        "device",
        at="occurred_at",
        arrived_at="received_at",
        painted_ms=(pl.col("started_at_ms") + pl.col("fcp_ms")).fill_nan(float("inf")),
    )
    begun_ms = pl.col("start_us") / 1000
    held_ms = pl.min_horizontal(begun_ms + pl.col("duration_ms"), "painted_ms") - begun_ms
    return (
        resources.join(opening, on=OF_VIEW)
        .filter((pl.col("received_at") - pl.col("arrived_at")).abs() <= WAITS)
        .with_columns(
            delay_ms=pl.when(pl.col("is_render_blocking"))
            .then(held_ms.clip(lower_bound=0).round(3))
            .otherwise(0.0)
        )
    )


def resources_counted(loaded: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    percentiles = [
        pl.col("duration_ms").quantile(share, interpolation="linear").alias(name)
        for name, share in QUANTILES.items()
    ]
    return loaded.group_by(keys).agg(
        pl.col("view_id").n_unique().alias("view_count"),
        pl.len().alias("count"),
        pl.col("is_cached").sum().alias("cached_count"),
        ((pl.col("body_bytes") > 0) | (pl.col("decoded_bytes") > 0)).sum().alias("sized_count"),
        pl.col("is_render_blocking").sum().alias("blocking_count"),
        (pl.col("status_code") >= 400).sum().alias("error_count"),
        pl.col("transfer_bytes", "body_bytes", "decoded_bytes").sum(),
        pl.col("delay_ms").sum(),
        pl.col("duration_ms").sum().alias("sum"),
        *percentiles,
    )


def named_beside_others(loaded: pl.DataFrame, cell: Sequence[str]) -> pl.DataFrame:
    """URLs beyond the hundred most loaded of a cell share a name."""
    places = (
        loaded.group_by([*cell, "url"])
        .len()
        .sort("len", "url", descending=[True, False])
        .with_columns(place=pl.int_range(pl.len()).over(cell))
    )
    name = pl.when(pl.col("place") < 100).then("url").otherwise(pl.lit("(other)"))
    return loaded.join(places.select(*cell, "url", "place"), on=[*cell, "url"]).with_columns(url=name)


def weights(loaded: pl.DataFrame) -> pl.DataFrame:
    """What each page load weighed, a row a figure."""
    bytes_ = pl.when(pl.col("body_bytes") > 0).then("body_bytes").otherwise("transfer_bytes").cast(pl.Float64)
    index = [*OF_VIEW, "at", "page", "navigation_type", "environment", "release", "device"]
    views = loaded.group_by(index).agg(
        pl.len().cast(pl.Float64).alias("request_count"),
        bytes_.sum().alias("total_bytes"),
        *(
            bytes_.filter(pl.col("type") == kind).sum().cast(pl.Float64).alias(f"{kind}_bytes")
            for kind in ("script", "style", "image", "font")
        ),
    )
    return views.unpivot(index=index, variable_name="metric").select(*index, "metric", "value")


def calls_counted(calls: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    status = pl.col("status_code")
    outcomes = calls.group_by(keys).agg(
        status.is_between(100, 399).sum().alias("success_count"),
        status.is_between(400, 499).sum().alias("client_error_count"),
        status.is_between(500, 599).sum().alias("server_error_count"),
    )
    return counted(calls, keys, "duration_ms").join(outcomes, on=keys)
