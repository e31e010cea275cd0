-- fill_build_table
-- purpose: a model's answer for some windows, into the attempt's own table
-- parameters: those of the model

insert into errata_mart.${build}
${model}
