"""The settings file as a person and a command write it: what holds and why, and changes of it."""
