"""Weekly reports: schedules with receivers, and mails sent or waiting."""
