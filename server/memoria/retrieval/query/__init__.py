"""Query: the plan of a search, from what was asked.

`plan` joins the parsed query with filters, bounds and the task in hand, `options` says what sets a
kind of search apart, `wording` takes the record's words for those of the question.
"""
