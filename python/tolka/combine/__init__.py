"""Combine: several models, corpora and domains in one translator."""
