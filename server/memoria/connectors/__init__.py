"""Connectors to other programs: a folder or module for each kind of program."""
