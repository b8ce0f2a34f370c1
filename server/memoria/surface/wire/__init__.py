"""Answers as structured data. Times are ISO 8601, and absent values are left out."""
