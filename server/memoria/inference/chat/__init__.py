"""Chat models: requests with a schema, and answers that fit it.

`choose` makes a model from settings, `client` is the one way to ask it, `base` has the request.
"""
