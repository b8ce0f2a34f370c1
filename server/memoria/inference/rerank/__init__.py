"""Rerankers read question and text together, and score how well one answers the other."""
