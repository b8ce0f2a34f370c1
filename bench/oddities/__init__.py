"""Oddities: what exports hold that no program should have written, and what an import makes of it.

Each oddity is a small file of some program with one item spoilt and sound ones on both sides of it.
Nothing may end the import, the odd item is read or named, and its neighbours are imported.
"""
