-- errata_ops.mart_models
-- purpose: hashes of models cover no comments from now on: marts of models that are otherwise unchanged stay
-- grain:   unchanged
-- key:     mart, created_at
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.mart_models
    update file_hash = case file_hash
        -- delivery_daily
        when '02dd0d4332422296e734609aedc34382' then '5536d1f609464eb490b21a4539d50032'
        -- endpoint_metrics_daily
        when '4723f1d4a4b0039a14b08a35837a0cd3' then '140ee755611b887ff12145b02d99def0'
        -- endpoint_metrics_hourly
        when '208abd5de7c71deeec07c52f059afab1' then '38fc2e026bf93a11fcb8074702ccaaeb'
        -- issue_totals
        when '8fcdab105d202c84b15c8077b4068901' then '5304b204eae0cf7fa0a1afdec0a0a66a'
        -- issues
        when '15bf1374d97176b7a889446c86d3188a' then '94a1285a1f982a637b89e7c07269166e'
        -- page_loads
        when 'ee81df5da0ccf8d8dc54c7f5974f56da' then '3e631443c7b1aaa3f523ed08d570f1eb'
        -- page_metrics_daily
        when 'a875b25059886af0bc9d57a6b1db8eb4' then 'f474c0af5f96af16feb1ebcafd8431f8'
        -- page_metrics_hourly
        when '8d3e9a20d2b47d7c5a12cc2e281e841e' then '04983d5473ee67faf8ef692656d402ba'
        -- repeated_events
        when '026f5e3d59b5417824902a5b2cdd2aef' then '02b2a7922c1ee1eea2b1dc2663f81187'
        -- resource_metrics_daily
        when 'fb7ca1ae44514d4b77434655554b90e4' then 'ec3fe03ad198ee50ff0a24aa5657f3cd'
        -- variant_daily
        when '4da639bfdd657e250f228e33675b0c34' then '6cbe8c62e6eb7b569efc7c241e77ccaa'
        -- variant_hourly
        when 'caf54a07461b5866f9d4fc96f26f2f78' then '5922ed67a58983a71aed7b0ed4967e9c'
        -- variant_releases
        when '8d08aabbb5dd718c2bafd6124166e39d' then 'a7ff9f5022d3b23ccc9e73525737fc3b'
        -- variant_totals
        when 'c5ed96f214476d82be83f4915b361668' then '3474a6341af0a8202880df6636533210'
        -- weekly_trends
        when 'e96486c27cb5a61f5fac30584556ee00' then 'b699a0a449edcfcc335a9b355bbd369a'
        else file_hash
    end
    where true
    settings mutations_sync = 1;
