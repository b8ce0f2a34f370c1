"""The program that clients start as a hook: standard library only, gone in a few milliseconds."""
