-- event_of_user
-- purpose: id, e-mail address, name or address of an event's user is this
-- parameters: user
-- names: none
(
    user_id = {${user}:String}
    or user_email = {${user}:String}
    or user_name = {${user}:String}
    or user_ip = {${user}:String}
)
