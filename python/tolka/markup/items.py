"""Things that pass through translation: web and e-mail addresses, placeholders of programs, paths, and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Literal

from tolka.markup.tags import plain

Kind = Literal["url", "mail", "num"]

# The look-behind keeps the search from beginning anew inside a word that has no @.
_ADDRESS = re.compile(
    r"(?P<url>(?<![\w@])(?:(?:https?|ftp)://|www\.)[^\s<>\"]+)"
    r"|(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
)
_BEHIND = ".,;:!?'\"\u00bb\u201d\u2019"
_NUMBER = re.compile(r"[+-]?\d+(?:[.,:/\u00a0]\d+)*%?")


@dataclass(frozen=True)
class Item:
    """An address in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        kind: `url` or `mail`.
        text: The address.
    """

    start: int
    end: int
    kind: Kind
    text: str


def find_addresses(text: str) -> list[Item]:
    """Web and e-mail addresses, without the punctuation behind them.

    Example:
        >>> [(item.kind, item.text) for item in find_addresses("See https://a.org/b?c=1, or write to me@b.org.")]
        [('url', 'https://a.org/b?c=1'), ('mail', 'me@b.org')]
    """
    found = []
    for match in _ADDRESS.finditer(text):
        kind: Kind = "url" if match.group("url") else "mail"
        address = match.group().rstrip(_BEHIND)
        while address and address[-1] in ")]}" and address.count(address[-1]) > address.count(_OPEN[address[-1]]):
            address = address[:-1].rstrip(_BEHIND)
        if len(address) > len("www."):
            found.append(Item(match.start(), match.start() + len(address), kind, address))
    return found


_OPEN = {")": "(", "]": "[", "}": "{"}


def is_address(token: str) -> bool:
    """Whether all of a token is a web or e-mail address.

    Example:
        >>> [is_address(token) for token in ("www.example.org", "me@example.org", "www", "me@example.org,")]
        [True, True, False, False]
    """
    # Most tokens are seen not to be one without a search.
    if not ("@" in token or "://" in token or token.startswith("www.")):
        return False
    # The tokeniser may have escaped signs of it.
    text = unescape(token)
    return [item.text for item in find_addresses(text)] == [text]


_AFTER = r"(?![\w\x80-\U0010ffff])"
# The same as in the engine's `tokenise::notation`; `\w` is of ASCII.
_PLACEHOLDER = re.compile(
    r"(?<!\d)%(?:\([\w.-]{1,128}\)|(?:\d{1,2}\$)?)[-+#0]*(?:\*|\d*)(?:\.\d*)?[hlLqjzt]{0,2}[diouxXeEfFgGcCrsSapn@]"
    rf"{_AFTER}|(?<!\d)%\d{{1,2}}{_AFTER}|(?<!\d)%[A-Z][A-Z0-9_]+{_AFTER}%?"
    r"|(?<![\w\x80-\U0010ffff])\$(?:\{[^{}\s]{1,128}\}|\([\w.-]{1,128}\)|\[[\w.-]{1,128}\]"
    rf"|\d(?![.,]\d){_AFTER}|[A-Za-z_]\w*(?:\.\w+)*(?:\$\d*{_AFTER})?\|?)"
    r"|\{\{[\w.:!<>\[\]-]{0,128}\}\}|\{[\w.:!<>\[\]-]{0,128}\}"
    r"|&(?!(?:amp|lt|gt|apos|quot|bar|bra|ket|#124|#91|#93);)#?[A-Za-z0-9]{2,128};"
    r"|</?[A-Za-z][\w:-]{0,127}>|<[A-Za-z][\w:-]{0,127}/>",
    re.ASCII,
)
_PATH = re.compile(r"(?:/|~/|\.\.?/)[\w.]|[A-Za-z]:\\", re.ASCII)
_CODE = re.compile(r"`[^`]+`")
_MAY_BE_VERBATIM = re.compile(r"[%$&{<@/\\`]|www\.")
# What the tokeniser writes beside signs: no space, or a space.
_MARKS = "\uffed\u2581"


def unmarked(token: str) -> str:
    """A token without the tokeniser's marks of how it is spaced.

    Example:
        >>> unmarked("\uffed+\uffed"), unmarked("\uffed")
        ('+', '\uffed')
    """
    return token.strip(_MARKS) or token


def find_placeholders(text: str) -> list[str]:
    """Placeholders of programs in a text: of printf and its like, variables, entities and tags without attributes.

    Example:
        >>> find_placeholders("%s: %1$d of %(total)s, ${name} {0} $1 &nbsp;<b> but $5.50 and 5%")
        ['%s', '%1$d', '%(total)s', '${name}', '{0}', '$1', '&nbsp;', '<b>']
    """
    return [found.group() for found in _PLACEHOLDER.finditer(text)]


_NEXT = re.compile(r"%[-+#0]*(?:\*|\d*)(?:\.\d*)?[hlLqjzt]{0,2}[diouxXeEfFgGcCrsSapn@]|\{\}")


def takes_next(token: str) -> bool:
    """Whether a token is a placeholder that takes a program's next value, whichever that is.

    Example:
        >>> [takes_next(token) for token in ("%s", "%.2f", "{}", "%1$s", "%(name)s", "{0}", "${name}")]
        [True, True, True, False, False, False, False]
    """
    return ("%" in token or "{" in token) and _NEXT.fullmatch(plain(unmarked(token))) is not None


def is_verbatim(token: str) -> bool:
    """Whether a token must come through translation as it is: a placeholder, an address, a path or code, or around one.

    Example:
        >>> [is_verbatim(token) for token in ("%s", "lib%s.so", "/etc/fstab", "me@example.org", "and/or", "5%")]
        [True, True, True, True, False, False]
    """
    # Most tokens are seen not to be one without a search.
    if not _MAY_BE_VERBATIM.search(token):
        return False
    # The tokeniser may have escaped signs of it.
    text = plain(unmarked(token))
    return bool(_CODE.fullmatch(text) or _PLACEHOLDER.search(text) or _PATH.match(text) or find_addresses(text))


def is_number(token: str) -> bool:
    """Whether a token is a number: digits, with signs between and before them, and perhaps a percent sign.

    Example:
        >>> [is_number(token) for token in ("1.234,56", "-5", "12:30", "50%", "v2", "2.")]
        [True, True, True, True, False, False]
    """
    return _NUMBER.fullmatch(token) is not None


@dataclass(frozen=True)
class NumberStyle:
    """How a language writes numbers.

    Attributes:
        decimal: The sign before fractions.
        group: The sign between groups of three digits.
    """

    decimal: str
    group: str


_POINT, _COMMA, _SPACE = NumberStyle(".", ","), NumberStyle(",", "."), NumberStyle(",", "\u00a0")
NUMBER_STYLES: dict[str, NumberStyle] = {
    **dict.fromkeys(("en", "he", "hi", "ja", "ko", "th", "zh"), _POINT),
    **dict.fromkeys(("ca", "da", "de", "el", "es", "hr", "id", "it", "nl", "pt", "ro", "sl", "sr", "tr", "vi"), _COMMA),
    **dict.fromkeys(
        ("bg", "cs", "et", "fi", "fr", "hu", "lt", "lv", "nb", "nn", "no", "pl", "ru", "sk", "sv", "uk"), _SPACE
    ),
}
"""How languages write numbers, by their code."""


def number_style(lang: str) -> NumberStyle | None:
    """How a language writes numbers, if it is known.

    Example:
        >>> number_style("pt-BR").decimal, number_style("wol")
        (',', None)
    """
    return NUMBER_STYLES.get(lang.replace("_", "-").partition("-")[0].lower())


# Four groups of three digits are a number, but of computers.
_HOST = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def convert_number(text: str, source: NumberStyle, target: NumberStyle) -> str:
    """A number as another language writes it; what is not written in the source's style stays as it is.

    Example:
        >>> german, english = NUMBER_STYLES["de"], NUMBER_STYLES["en"]
        >>> [convert_number(text, german, english) for text in ("1.234,56", "3,5%", "2024", "2.0", "12:30")]
        ['1,234.56', '3.5%', '2024', '2.0', '12:30']
        >>> convert_number("192.168.100.200", german, english)
        '192.168.100.200'
    """
    if _HOST.fullmatch(text) and all(int(part) < 256 for part in text.split(".")):  # noqa: PLR2004 - a byte
        return text
    group, decimal = re.escape(source.group), re.escape(source.decimal)
    match = re.fullmatch(rf"([+-]?)(\d{{1,3}}(?:{group}\d{{3}})+|\d+)(?:{decimal}(\d+))?(%?)", text)
    if match is None:
        return text
    sign, whole, fraction, percent = match.groups()
    whole = whole.replace(source.group, target.group)
    return f"{sign}{whole}{target.decimal + fraction if fraction else ''}{percent}"
