-- moment_between
-- purpose: a moment is in a half-open span
-- parameters: since, until
-- names: column
${column} >= {${since}:DateTime64(3, 'UTC')} and ${column} < {${until}:DateTime64(3, 'UTC')}
