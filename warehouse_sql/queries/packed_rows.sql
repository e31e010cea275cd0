-- purpose: the rows of a question, each packed to be sent along with other questions
-- names: keys (columns that are told beside), packed (columns), rows (the question)
-- returns: one row per row of the question: its keys, row (RowBinary in hexadecimal)

select
    ${keys},
    hex(formatRow('RowBinary', ${packed})) as row
from (
    ${rows}
)
