"""Programs and endpoints on this machine that could read conversations."""
