"""TRUTH: rows and files, and the indexes over them. `engine` and `connection` are the seam."""
