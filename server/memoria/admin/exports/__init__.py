"""Exports: what a tenant owns, in a file that anybody can read, and the way back.

`write` makes an export, `format` reads it, `admission` decides what of it may come in, and `merge`
brings that in.
"""
