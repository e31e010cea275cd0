-- purpose: comments on issues that have a text in them
-- returns: one row per comment or change of one: action_id, issue_id

select
    action_id,
    issue_id
from errata_raw.issue_actions
where
    project_id = {project_id:UInt32}
    and action in ('comment', 'edit_comment')
    and arrayExists(
        text -> positionCaseInsensitiveUTF8(JSONExtractString(detail, 'text'), text) > 0,
        {texts:Array(String)}
    )
