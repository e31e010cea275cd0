-- purpose: deletes a day's rows of projects that no longer keep them, from the files of one partition
-- returns: nothing

alter table ${table} delete in partition {day:Date}
where project_id in {projects:Array(UInt32)} and toDate(received_at) = {day:Date}
settings mutations_sync = 1
