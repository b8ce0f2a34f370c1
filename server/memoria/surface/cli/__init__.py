"""Memoria on the command line."""
