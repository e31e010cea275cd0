"""Builds marts from SQL models, window by window, exactly, whatever is killed meanwhile.

    report = build(warehouse, VARIANT_HOURLY)        # warehouse: a client with the role BUILD

A mart is a model file (warehouse_sql/models/<mart>.sql), a query that finds its dirty windows, and a
check that recounts what was built (warehouse_sql/checks/<mart>.sql); `pipelines/marts/registry.py` lists
them in the order they are built in. docs/pipelines.md says how to add one.
"""
