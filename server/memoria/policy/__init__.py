"""Policy: decisions over values, without input or output, a clock or a store."""
