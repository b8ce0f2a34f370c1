"""What a recorded tool call was: its command, its files, whether it failed, and with which error.

These are rules about the forms of shells, tools and clients, not about language: they select, mark
and rank, and conclude nothing.
"""
