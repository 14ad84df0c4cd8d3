"""Pre-ordering: source words put into the order of the target language before decoding."""
