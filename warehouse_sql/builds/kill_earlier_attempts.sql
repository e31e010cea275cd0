-- purpose: ends the statements of earlier attempts at a mart: an insert outlives the client that asked for it
-- parameters: prefix (of every attempt), own (of this one)

kill query
where
    startsWith(query_id, {prefix:String})
    and not startsWith(query_id, {own:String})
sync
