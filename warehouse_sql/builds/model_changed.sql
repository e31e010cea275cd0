-- purpose: whether the last build of a mart was made with another model
-- parameters: mart, model_hash (of the model now)

select count() as is_changed
from (
    select
        argMax(model_hash, number) as built_with,
        argMax(finished_at, number) as built_at
    from errata_ops.builds
    where
        mart = {mart:String}
        and table_uuid in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
    having count() > 0
) as last_build
where if(
    last_build.built_with = '',
    -- A build of an earlier version, which noted no model.
    last_build.built_at < (
        select max(created_at)
        from errata_ops.mart_models
        where mart = concat('errata_mart.', {mart:String})
    ),
    last_build.built_with != {model_hash:String}
)
