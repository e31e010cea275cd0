-- purpose: whether calls are of an endpoint: of its method, and of the routes that each side knows it by
-- parameters: method, server_routes, page_routes, host (that pages called; empty: any)
-- returns: a condition on rows of calls
method = {method:String}
and has(if(side = 'server', {server_routes:Array(String)}, {page_routes:Array(String)}), route::String)
and (side = 'server' or {host:String} = '' or host = {host:String})
