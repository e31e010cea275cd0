"""Access to the warehouse: one ClickHouse URL a role, embedded or on a server."""
