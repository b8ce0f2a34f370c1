"""Evidence: scores of turns by words and meaning, in the context of their conversation.

`columns` reads the best of the indexes and their neighbours, `lexical` counts words anew with those
of the neighbours, `priors` knows what an answer looks like; `rank` puts all scores together.
"""
