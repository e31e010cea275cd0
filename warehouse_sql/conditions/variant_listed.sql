-- variant_listed
-- purpose: a variant is one of these
-- parameters: variants
-- names: none
variant_hash in {${variants}:Array(UInt64)}
