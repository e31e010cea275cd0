"""Weekly reports: who gets one, and the mails that were sent or wait to be."""
