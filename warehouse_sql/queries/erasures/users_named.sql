-- purpose: the users of a project whose events or feedback name an ID, email address, name or IP address exactly
-- parameters: project_id, user_id, user_email (empty: none)
-- returns: one row per user: user_hash

select distinct user_hash
from (
    select user_hash
    from errata_raw.error_events
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and (
            (user_id = {user_id:String} and {user_id:String} != '')
            or (user_email = {user_email:String} and {user_email:String} != '')
        )
    union all
    select user_hash
    from errata_raw.feedback
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and user_email = {user_email:String}
        and {user_email:String} != ''
)
limit 10001
