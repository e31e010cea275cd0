-- model_changed
-- purpose: whether the model of a mart has changed since the last build
-- parameters: mart

select count() as is_changed
from (
    select max(created_at) as changed_at
    from errata_ops.mart_models
    where mart = concat('errata_mart.', {mart:String})
) as model
where
    changed_at > (
        select max(finished_at)
        from errata_ops.builds
        where
            mart = {mart:String}
            and table_uuid in (
                select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
            )
    )
