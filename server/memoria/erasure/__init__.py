"""Erasure of what is forgotten and of what rests on it, and its recognition when it comes back.

`plan` finds what the given ids mean, `cascade` what rests on it, `forget` erases it in one
transaction, `files` takes it out of text files, `scrub` makes it unreadable on disk, `suppression`
answers every write path whether a text may be kept, `reforget` does it all again in a home that an
older backup was restored into, and `verify` looks for anything whose sources are gone.
"""
