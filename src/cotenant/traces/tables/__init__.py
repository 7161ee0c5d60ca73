"""Plain tables, long or wide, CSV or Parquet, and our own canonical files."""
