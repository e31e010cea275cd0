-- event_before
-- purpose: an event is after another one in a list that has the newest first
-- parameters: occurred_at, item_id
-- names: none
(occurred_at, item_id) < ({${occurred_at}:DateTime64(3, 'UTC')}, {${item_id}:UUID})
