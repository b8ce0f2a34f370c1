"""PostgreSQL as an engine: one database for many servers."""
