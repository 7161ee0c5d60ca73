"""Public usage traces and feeds, one format a file."""
