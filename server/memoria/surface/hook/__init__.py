"""The program that clients start as a hook: standard library only, ends in milliseconds."""
