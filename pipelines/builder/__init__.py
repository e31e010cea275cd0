"""Builds marts from SQL models, window by window, exactly, whatever is killed meanwhile.

A `Build` is one run for one mart (build.py): it chooses windows, fills them and publishes. Its `Attempt`
(attempt.py) is its identity in the warehouse: a number, the versions it writes rows under, its query ids.
Every build has one attempt, and a retry is a new build with a new attempt.

A build publishes with one row in errata_ops.builds (build_log.py); only then do its rows count. Pages and
REST read published versions only (errata/warehouse/published.py), so a build killed before that changes no
figure; the next build of the mart drops its rows. Why: docs/decisions/published-versions.md. Marts made by
Python have no versions: errata/warehouse/python_marts.py says what a kill leaves of them.

    report = build(warehouse, VARIANT_HOURLY)  # warehouse: a client with the role BUILD

A mart is a model file (warehouse_sql/marts/<mart>.sql), a query that finds its dirty windows, and a check
that recounts its rows (warehouse_sql/checks/<mart>.sql); `pipelines/marts/registry.py` lists marts in build
order. docs/add-a-mart.md explains how to add one.
"""
