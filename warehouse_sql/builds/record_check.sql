-- purpose: records the outcome of a data check

insert into errata_ops.check_results (check_name, is_passed)
select {check_name:String}, {is_passed:Bool}
