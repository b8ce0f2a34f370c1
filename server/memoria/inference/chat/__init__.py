"""Chat models: questions with a form, and answers of that form.

`choose` makes a model from settings, `gate` is the one way to ask it, `base` has the question.
"""
