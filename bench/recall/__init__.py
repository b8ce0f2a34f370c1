"""Recall on the shared sets other than LoCoMo, Chinese included, and whether it knows silence."""
