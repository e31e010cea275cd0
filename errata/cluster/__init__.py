"""Operations on the shards of a cluster."""
