-- purpose: the version of the engine, as in 26.9.2.1

select version() as version
