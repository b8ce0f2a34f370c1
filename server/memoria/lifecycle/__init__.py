"""The night: what keeps the memory small, true and readable."""
