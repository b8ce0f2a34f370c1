"""Memoria over the Model Context Protocol."""
