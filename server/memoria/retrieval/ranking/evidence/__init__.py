"""Evidence: what words and meaning say of a turn, in the context of its conversation.

`found` reads what the indexes' best lead to, `counts` and `lexical` count words anew with those of
the neighbours, `session` adds what the session is about, `speakers` and `worth` know what an answer
looks like; `rank` puts them together.
"""
