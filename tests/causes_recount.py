"""Causes of vitals counted anew from raw rows by polars: what page_causes_daily must equal."""

from collections.abc import Sequence

import polars as pl

from errata.performance.causes import HANDLER, PARTS, Cause
from errata.performance.metric import PAGE_METRICS
from tests.polars_recount import OF_VIEW, PLACES, WAITS, parts_of_views

VIEW = (*OF_VIEW, "at")
NAMES = ("element", "url", "invoker", "file", "function", "position")
CELL = ("project_id", "page", "navigation_type", "environment", "release", "at")


def causes(parts: pl.DataFrame, resources: pl.DataFrame) -> pl.DataFrame:
    """A row per view, vital and known part of it: `value`, and whether the vital is above good."""
    joined = parts_of_views(parts)
    told = [_interactions(joined), _contents(joined, resources), _shifts(joined)]
    return pl.concat(told, how="diagonal_relaxed").filter(pl.col("value").is_not_null())


def named_beside_others(causes: pl.DataFrame, cell: Sequence[str]) -> pl.DataFrame:
    """Causes beyond the 30 most frequent ones of a cell share a name."""
    places = (
        causes.filter(pl.col("part") == "value")
        .group_by([*cell, *NAMES])
        .len()
        .sort("len", *NAMES, descending=[True, *(False for _ in NAMES)])
        .with_columns(place=pl.int_range(pl.len()).over(cell))
    )
    is_other = pl.col("place") >= 30
    return causes.join(places.drop("len"), on=[*cell, *NAMES]).with_columns(
        pl.when(is_other).then(pl.lit("(other)")).otherwise("element").alias("element"),
        *(pl.when(is_other).then(pl.lit("")).otherwise(name).alias(name) for name in NAMES[1:5]),
        pl.when(is_other).then(-1).otherwise("position").alias("position"),
    )


def _largest(joined: pl.DataFrame, column: str) -> pl.DataFrame:
    known = joined.filter(pl.col(column).is_not_null())
    return known.sort(column, "occurred_at", "item_id").unique(VIEW, keep="last", maintain_order=True)


def _spread(rows: pl.DataFrame, metric: Cause, *more: str) -> pl.DataFrame:
    """A row for the vital and each of its parts."""
    rating = PAGE_METRICS[metric].rating
    assert rating is not None
    samples = ("value", *PARTS[metric], *more)
    named = rows.with_columns(
        *(pl.lit("").alias(name) for name in NAMES[:5] if name not in rows.columns),
        *([] if "position" in rows.columns else [pl.lit(-1).alias("position")]),
        value=pl.col(metric),
        metric=pl.lit(metric.value),
        is_slow=pl.col(metric) > rating[0],
    ).select(*CELL, "metric", *NAMES, "is_slow", *samples)
    index = [*CELL, "metric", *NAMES, "is_slow"]
    spread = named.unpivot(samples, index=index, variable_name="part", value_name="sample")
    return spread.rename({"sample": "value"})


def _interactions(joined: pl.DataFrame) -> pl.DataFrame:
    own = _largest(joined, "inp_ms").select(*PLACES, "inp_ms", "inp_at_ms", element="inp_target")
    frames = joined.select(*VIEW, "frames").explode("frames").drop_nulls("frames").unnest("frames")
    end, shown = pl.col("start_ms") + pl.col("duration_ms"), pl.col("inp_at_ms") + pl.col("inp_ms")
    waited = (
        frames.join(own.select(*VIEW, "inp_ms", "inp_at_ms"), on=VIEW)
        .with_columns(shared=pl.min_horizontal(end, shown) - pl.max_horizontal("start_ms", "inp_at_ms"))
        .filter((pl.col("inp_ms") > 0) & (pl.col("shared") >= 0.5 * pl.col("inp_ms")))
        .sort("shared", "start_ms", descending=[True, False])
        .unique(VIEW, keep="first", maintain_order=True)
        .with_columns(
            delay=(pl.col("start_ms") - pl.col("inp_at_ms")).clip(lower_bound=0).round(3),
            after=(shown - pl.col("start_ms") - pl.col("duration_ms")).clip(lower_bound=0).round(3),
            is_handler=(pl.col("invoker_type") == "event-listener")
            & pl.col("invoker").str.contains(HANDLER.pattern.replace("\\Z", "$")),
        )
        .with_columns(
            input_delay_ms=pl.when("is_handler").then("delay"),
            processing_ms=pl.when("is_handler").then(
                (pl.col("inp_ms") - pl.col("delay") - pl.col("after")).clip(lower_bound=0).round(3)
            ),
            presentation_ms=pl.when("is_handler").then("after"),
        )
        .select(*VIEW, "invoker", "file", "function", "position", *PARTS[Cause.INP])
    )
    found = own.join(waited, on=VIEW, how="left").with_columns(
        pl.col("invoker", "file", "function").fill_null(""), pl.col("position").fill_null(-1)
    )
    return _spread(found, Cause.INP)


def _contents(joined: pl.DataFrame, resources: pl.DataFrame) -> pl.DataFrame:
    begun = joined.group_by(VIEW).agg(
        pl.col("begun_ms").first(),
        ttfb_ms=pl.coalesce(
            pl.col("ttfb_ms").max(), (pl.col("response_at_ms").max() - pl.col("begun_ms").first()).round(3)
        ),
    )
    own = (
        joined.filter(pl.col("lcp_ms").is_not_null())
        .unique(VIEW, keep="last", maintain_order=True)
        .select(*PLACES, "lcp_ms", "lcp_size", element="lcp_element", sent_url="lcp_url")
        .join(begun, on=VIEW)
        .with_columns(url=pl.when(pl.col("sent_url") == "data:").then(pl.lit("")).otherwise("sent_url"))
    )
    images = (
        resources.select(*OF_VIEW, "received_at", "start_us", "duration_ms", file_url="url")
        .join(own.filter(pl.col("url") != "").select(*VIEW, "arrived_at", "url"), on=OF_VIEW)
        .filter(
            ((pl.col("received_at") - pl.col("arrived_at")).abs() <= WAITS)
            & (
                (pl.col("file_url") == pl.col("url"))
                | (pl.col("file_url") == pl.col("url").str.replace("^[a-z]+://[^/]*", ""))
            )
        )
        .sort("start_us")
        .unique(VIEW, keep="first", maintain_order=True)
        .select(*VIEW, image_ms=pl.col("start_us") / 1000, took_ms="duration_ms")
    )
    image, lcp, ttfb = pl.col("image_ms"), pl.col("lcp_ms"), pl.col("ttfb_ms")
    is_text = (pl.col("url") == "") & (pl.col("element") != "") & ttfb.is_not_null()
    found = (
        own.join(images, on=VIEW, how="left")
        .with_columns(
            asked=pl.when(image.is_not_null() & ttfb.is_not_null()).then(
                pl.max_horizontal(ttfb, image - pl.col("begun_ms")).round(3)
            )
        )
        .with_columns(
            loaded=pl.when(pl.col("asked").is_not_null()).then(
                pl.min_horizontal(
                    pl.max_horizontal("asked", image + pl.col("took_ms") - pl.col("begun_ms")),
                    pl.max_horizontal("asked", lcp),
                ).round(3)
            )
        )
        .with_columns(
            load_delay_ms=pl.when(is_text).then(0.0).otherwise((pl.col("asked") - ttfb).round(3)),
            load_duration_ms=pl.when(is_text)
            .then(0.0)
            .otherwise((pl.col("loaded") - pl.col("asked")).round(3)),
            render_delay_ms=pl.when(is_text)
            .then(lcp - ttfb)
            .otherwise(lcp - pl.col("loaded"))
            .clip(lower_bound=0)
            .round(3),
            size_px="lcp_size",
        )
    )
    return _spread(found, Cause.LCP, "size_px")


def _shifts(joined: pl.DataFrame) -> pl.DataFrame:
    element = pl.col("cls_sources").list.first().fill_null("")
    return _spread(_largest(joined, "cls").with_columns(element=element), Cause.CLS)
