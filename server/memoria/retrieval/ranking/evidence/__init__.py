"""Evidence: scores of turns by words and meaning, in the context of their conversation.

`inputs` reads the best of the indexes and their neighbours, `counts` and `lexical` count words anew
with those of the neighbours, `session` adds what the session is about, `speakers` and `priors` know
what an answer looks like; `rank` puts them together.
"""
