-- since_moment
-- purpose: a moment is this one or a later one
-- parameters: since
-- names: column
${column} >= {${since}:DateTime64(3, 'UTC')}
