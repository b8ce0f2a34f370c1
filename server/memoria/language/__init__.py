"""Language: all that reads English and Chinese, in pure functions over text."""
