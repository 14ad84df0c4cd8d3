"""Pre-ordering by hand-written rules: data in TOML files, and what carries them out."""

from tolka.reorder.rules.language import Rule, RuleSet, parse_rules
from tolka.reorder.rules.preorderer import NAMES, RulePreorderer

__all__ = ["NAMES", "Rule", "RulePreorderer", "RuleSet", "parse_rules"]
