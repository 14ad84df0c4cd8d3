"""The corpus room: text as people have it, read, cleaned, tokenised, described."""
