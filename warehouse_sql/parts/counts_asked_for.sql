-- purpose: a condition on rows of counts: they are of the period and environment that the list is about
-- parameters: span (the period), is_whole, environment
span = {span:String} and is_whole = {is_whole:Bool} and environment = {environment:String}
