-- uuid_of_mart
-- purpose: which table a mart is stored in: another one whenever it is made anew
-- parameters: mart

select uuid
from system.tables
where database = 'errata_mart' and name = {mart:String}
