"""Ranking: from what the sources found to hits in their order.

`statistics` says how well the record knows the query's words, `evidence` and `fusion` join the
sources' scores, `score` reads the candidates, `boosts` favours some of equals, `rerank` asks a
model, `threshold` turns away what does not fit, `selection` and `diversity` drop repeats.
"""
