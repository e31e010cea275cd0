"""One function a question, each calling one file of warehouse_sql/queries: in folders of the same names."""
