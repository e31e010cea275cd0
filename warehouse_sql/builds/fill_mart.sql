-- fill_mart
-- purpose: a model's answer for some windows, under the version of a build; with the parameters of the model
-- names: mart, model

insert into errata_mart.${mart}
${model}
