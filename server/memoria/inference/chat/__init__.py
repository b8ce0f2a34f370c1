"""Chat models: requests with a schema, and answers that fit it.

`client` makes a model from settings and is the one way to ask it; `base` has request and reply.
"""
