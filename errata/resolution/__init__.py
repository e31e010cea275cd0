"""Which issue a variant belongs to, and what state an issue has.

`decisions` appends to the two logs that decide it, and `assignments` stores what they result in.
"""
