"""TRUTH: rows and files, and the indexes over them. `base` is the seam; each engine is a folder."""
