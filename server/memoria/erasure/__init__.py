"""Erasure of forgotten records and their dependents, and recognition of forgotten statements.

`selection` finds the records that a request names, `plan` the others that say the same, `cascade`
what rests on all of these. `forget` erases them: `deletion` the rows, `files` the lines of text
files; `grace` hides them first where that is set. `suppression` answers every write path whether a
text may be kept, `reforget` repeats a forget in a home restored from an older backup, and `verify`
finds whatever has lost its sources.
"""
