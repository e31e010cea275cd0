"""An effect of a release, for the tests of its pages."""

from errata.warehouse.queries.performance.releases import Effect, Interval

EFFECT = Effect(
    page="",
    metric="load_ms",
    verdict="worse",
    after_count=900,
    before_count=800,
    user_count=40,
    independent_count=300,
    largest_share=0.05,
    before_p50=1000.0,
    before_p75=1500.0,
    after_p50=1200.0,
    after_p75=1800.0,
    effect=Interval(200.0, 120.0, 290.0),
    ratio=Interval(0.2, 0.12, 0.29),
    bound_low=0.1,
    bound_high=0.3,
    p_value=0.00001,
    q_value=None,
    slower_probability=0.9999,
    superiority=0.6,
)
