"""OPERATE: import, examine, look after."""
