//! Text as people have it: reading lines, tokenising, cleaning, casing, vocabularies.
