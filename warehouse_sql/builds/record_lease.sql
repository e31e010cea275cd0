-- purpose: records a claim, a beat or a release of marts

insert into errata_ops.build_leases (mart, attempt, state)
select arrayJoin({marts:Array(String)}), {attempt:String}, {state:String}
