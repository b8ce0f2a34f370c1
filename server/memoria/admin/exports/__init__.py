"""Exports: what a tenant owns in a file that anybody can read, and the way back.

`write` makes one, `lines` reads it, `admission` says what of it may come in, and `merge` brings it
in. `seal` keeps a key under a passphrase. `notes` is the other form, Markdown for people.
"""
