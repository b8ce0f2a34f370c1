"""SQL: the statements of all tables by name, and the rows that they give."""
