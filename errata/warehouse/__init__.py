"""Access to the warehouse: one ClickHouse URL a role, whoever serves it."""
