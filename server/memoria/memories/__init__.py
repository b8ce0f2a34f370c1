"""Memories: how a memory is written, linked and checked, whoever decided what it says."""
