"""What people know better than the model: marked-up translations, terms, addresses and numbers.

All of it becomes `tolka.decode.Given` spans of a sentence, or placeholders that are put back after decoding.

Example:
    >>> from tolka.markup import Annotator, Terms
    >>> terms = Terms([("haus", "building", True)])
    >>> annotator = Annotator(markup="exclusive", terms=terms)
    >>> sentence = annotator.sentence('das <n translation="tiny">kleine</n> Haus')
    >>> sentence.text
    'das kleine Haus'
    >>> [(given.start, given.end, given.targets) for given in sentence.given]
    [(1, 2, (('tiny', 0.0),)), (2, 3, (('building', 0.0),))]
"""

from tolka.markup.annotator import Annotator, NumberPolicy
from tolka.markup.inline import Tag, lift, put_back, without_tags
from tolka.markup.items import (
    NUMBER_STYLES,
    Item,
    NumberStyle,
    convert_number,
    find_addresses,
    find_placeholders,
    is_address,
    is_number,
    is_verbatim,
    number_style,
    unmarked,
)
from tolka.markup.masking import mask, mask_pair, mask_sentence, number_styles, unmask
from tolka.markup.tags import Mark, Mode, Piece, parse_markup, without_markup
from tolka.markup.terms import Terms

__all__ = [
    "NUMBER_STYLES",
    "Annotator",
    "Item",
    "Mark",
    "Mode",
    "NumberPolicy",
    "NumberStyle",
    "Piece",
    "Tag",
    "Terms",
    "convert_number",
    "find_addresses",
    "find_placeholders",
    "is_address",
    "is_number",
    "is_verbatim",
    "lift",
    "mask",
    "mask_pair",
    "mask_sentence",
    "number_style",
    "number_styles",
    "parse_markup",
    "put_back",
    "unmarked",
    "unmask",
    "without_markup",
    "without_tags",
]
