-- purpose: deletes recordings as sent that were stored inflated meanwhile

alter table errata_raw.replay_segments delete
where
    project_id = {project_id:UInt32}
    and has({items:Array(UUID)}, item_id)
    and part = 'recording'
    and payload != ''
settings mutations_sync = 1
