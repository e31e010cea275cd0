-- purpose: which table a mart is stored in: another one whenever it is made anew

select uuid
from system.tables
where database = 'errata_mart' and name = {mart:String}
