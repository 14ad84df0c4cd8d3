"""Assist: people who know one language help with parses and with the choice of words."""
