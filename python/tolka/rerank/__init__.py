"""Reranking: n-best lists ordered anew by models that see the whole translation."""
