"""Rerankers read question and text together, and say how well one answers the other."""
