"""What a session is worth: gates, artifact fields, judge, timing, statistics over many sessions."""
