"""Core memory as files: written from rows, edited by hand, read back without losing a word."""
