"""What Dagster shows of each mart: an asset with its checks."""
