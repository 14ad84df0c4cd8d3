"""Translators that search for multitrees: text in, text out, with the parser that their sentences need."""

from tolka.translate.multitree.translator import (
    KIND,
    LONGEST,
    PARSER,
    TreeDescription,
    TreeTranslator,
    copy_tree_model,
    write_tree_model,
)

__all__ = ["KIND", "LONGEST", "PARSER", "TreeDescription", "TreeTranslator", "copy_tree_model", "write_tree_model"]
