-- bootstrap
-- purpose: what the migrator itself needs: the databases and its records

create database if not exists errata_raw;

create database if not exists errata_mart;

create database if not exists errata_ops;

create database if not exists errata_read;

create database if not exists errata_analysis;

create table if not exists errata_ops.migrations
(
    name String,
    file_hash String comment 'blake2b-128 of the file',
    applied_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by name;

create table if not exists errata_ops.migrations_begun
(
    name String,
    file_hash String comment 'blake2b-128 of the file',
    statement_count UInt32 comment 'statements executed so far, in their order',
    executed_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by name;

create table if not exists errata_ops.mart_models
(
    mart String,
    file_hash String comment 'blake2b-128 of the statements, without comments, of the model that the table was made from',
    created_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by (mart, created_at);
