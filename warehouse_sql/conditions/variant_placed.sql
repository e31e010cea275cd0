-- variant_placed
-- purpose: a variant is one of those that the statement places in issues
-- parameters: none
-- names: none
variant_hash in (select variant_hash from placed)
