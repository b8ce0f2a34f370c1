"""Query: the plan of a search, from what was asked. Nothing is looked up by words.

`parse` takes the text apart, `plan` joins it with filters and bounds, `profile` says what sets one
kind of search apart from another, `task` adds the task in hand.
"""
