-- fill_mart
-- purpose: a model's answer for some windows, under the version of a build
-- parameters: those of the model

insert into errata_mart.${mart}
${model}
