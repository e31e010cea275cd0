-- users_left_out
-- purpose: nobody asks for users
-- inputs:  none
toUInt64(0)
