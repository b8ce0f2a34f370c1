"""Phrases: the words by which rules tell a request, a change, a choice and a task."""
