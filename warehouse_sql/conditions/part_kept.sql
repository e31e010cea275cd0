-- part_kept
-- purpose: what was counted of a variant was not deleted with its issue; with the parameters of the question
-- parameters: none
-- names: none
(variant_hash, after_deletion_at) not in (
    select
        variant_hash,
        after_deletion_at
    from errata_read.deleted_parts(
        decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
    )
)
