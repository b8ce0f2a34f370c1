"""Core memory as files: written from rows, edited by the user, read back without losing a word."""
