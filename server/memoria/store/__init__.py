"""TRUTH: what is kept and how it is found again. `base` is the seam; each engine is a folder."""
