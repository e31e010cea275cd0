-- users_counted
-- purpose: users of what a statement asks about, of rows of counts
-- inputs:  none
sumIf(counts.user_count, is_asked) + uniqMergeIf(counts.users_state, is_asked)
