"""Statements: what a sentence is for the memory: a request, an order, a fact."""
