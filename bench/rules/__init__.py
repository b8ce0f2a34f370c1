"""Rules of language: what each group of them buys, and what it costs in lines."""
