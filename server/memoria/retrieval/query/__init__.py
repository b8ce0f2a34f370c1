"""Query: from what was asked to a plan that the sources can follow. Nothing is looked up by words.

`parse` takes the text apart, `plan` joins it with filters and bounds, `profile` says what sets one
kind of search apart from another, `task` adds the task in hand.
"""
