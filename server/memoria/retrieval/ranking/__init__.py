"""Ranking: from what the sources have found to hits in their order.

`statistics` says how well the record knows the query's words, `evidence` and `candidates` join the
sources' scores, `score` rates the candidates, `rerank` asks a model, `threshold` turns away what
does not fit, `successors`, `repeats` and `selection` choose and order the hits, `nearest` looks for
what belongs beside them.
"""
