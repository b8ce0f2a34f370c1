"""HTTP: one process serves the memories of many tenants, each to whoever has a token of it."""
