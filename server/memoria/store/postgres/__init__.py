"""PostgreSQL store: all that the second engine does for itself."""
