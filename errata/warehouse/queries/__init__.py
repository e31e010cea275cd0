"""One function a question, each with one file of warehouse_sql/queries, in folders of the same names."""
