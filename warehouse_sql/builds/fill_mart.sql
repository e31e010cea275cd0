-- purpose: a model's answer for some windows, under the version of a build; with the parameters of the model

insert into errata_mart.${mart}
${model}
