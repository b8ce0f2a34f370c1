"""Memoria inside other frameworks: one module for each, and an extra of its name that installs it.

Each puts the memory in the place of the framework's own. It uses the library as any program does,
and nothing imports it.
"""
