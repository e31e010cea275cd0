create table if not exists errata_ops.crowd_originals
(
    original UInt16,
    is_whole Bool,
    rest String,
    platform String,
    level String,
    transaction String,
    logger String,
    type String,
    message String,
    is_handled Bool,
    request_method String,
    request_url String,
    browser String,
    os String,
    device String
)
engine = MergeTree
order by (original, is_whole);

create table if not exists errata_ops.crowd_issues
(
    issue UInt32,
    first_variant UInt32,
    variant_count UInt16,
    born UInt8,
    gone UInt8
)
engine = MergeTree
order by issue;

create table if not exists errata_ops.crowd_variants
(
    variant UInt32,
    variant_hash UInt64,
    original UInt16,
    message String,
    type String,
    title String,
    culprit String,
    level String,
    platform String,
    shape String,
    issue_id UInt64 comment 'by its own fingerprint',
    joined_issue_id UInt64 comment 'the issue that pipelines joined it to; 0: none',
    fingerprint_hash UInt64,
    fingerprint_version UInt16,
    fingerprint Array(String),
    explanation String
)
engine = MergeTree
order by variant;
