"""Answer: from hits to what a caller reads, within its budget and with its citations."""
