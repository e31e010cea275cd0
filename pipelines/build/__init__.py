"""Builds marts from SQL models, window by window, exactly, whatever is killed meanwhile.

A build writes its rows under a version of its own (attempt.py), and one row in errata_ops.builds publishes
them (records.py). Pages and REST read published versions only (errata/warehouse/published.py), so a killed
build changes nothing; the next build of the mart drops what it had written. Why:
docs/decisions/published-versions.md.

    report = build(warehouse, VARIANT_HOURLY)        # warehouse: a client with the role BUILD

A mart is a model file (warehouse_sql/marts/<mart>.sql), a query that finds its dirty windows, and a
check that recounts what was built (warehouse_sql/checks/<mart>.sql); `pipelines/marts/registry.py` lists
them in the order they are built in. docs/pipelines.md says how to add one.
"""
