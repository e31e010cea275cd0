-- purpose: causes of the vitals of a page's loads, on days that are counted from page loads
-- parameters: since, until, days_of_loads, page, ${filters}
-- returns: rows per load and vital: cause
select arrayJoin(causes) as cause
from errata_mart.page_loads
where
    toDate(hour) in {days_of_loads:Array(Date)}
    and hour >= {since:DateTime('UTC')}
    and hour < {until:DateTime('UTC')}
    and navigation_type = 'navigate'
    and page = {page:String}
    and ${filters}
