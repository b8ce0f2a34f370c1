"""Answer: from hits to what a caller reads, within a budget and with citations."""
