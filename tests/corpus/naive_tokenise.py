"""The rules of the tokeniser and the detokeniser once more, one at a time, slowly and readably."""
# ruff: noqa: C901, PLR0911, PLR0912, RUF001, S105

from __future__ import annotations

import re
import unicodedata

ESCAPES = {
    "&": "&amp;",
    "|": "&#124;",
    "<": "&lt;",
    ">": "&gt;",
    "'": "&apos;",
    '"': "&quot;",
    "[": "&#91;",
    "]": "&#93;",
}


def is_space(c: str) -> bool:
    return c.isspace() or c == "\u200b"


def is_extender(c: str) -> bool:
    return c != "\u200b" and (unicodedata.category(c) in {"Mn", "Mc", "Me", "Cf"} or "\U0001f3fb" <= c <= "\U0001f3ff")


def clusters(text: str) -> list[str]:
    """A character with the marks that follow it; a space never takes a mark."""
    found: list[str] = []
    for c in text:
        if is_space(c):
            found.append(" ")
        elif is_extender(c) and found and found[-1] != " ":
            found[-1] += c
        elif unicodedata.category(c) != "Cc":
            found.append(c)
    return found


def letter(cluster: str) -> bool:
    return unicodedata.category(cluster[0])[0] == "L" or is_extender(cluster[0])


def number(cluster: str) -> bool:
    return unicodedata.category(cluster[0]) in {"Nd", "Nl"}


def regional(cluster: str) -> bool:
    return "\U0001f1e6" <= cluster[0] <= "\U0001f1ff"


def symbol(cluster: str) -> bool:
    return not (letter(cluster) or number(cluster) or cluster[0] in " .,'-`")


def pad_symbols(units: list[str]) -> list[str]:
    """Each symbol alone, flags and emoji that a joiner welds together as one unit."""
    out: list[str] = []
    welded = False  # whether the last unit is a symbol that may still grow
    for cluster in units:
        is_symbol = symbol(cluster)
        flag = welded and regional(cluster) and regional(out[-1]) and sum(map(regional, out[-1])) == 1
        if is_symbol and welded and (out[-1].endswith("\u200d") or flag):
            out[-1] += cluster
        else:
            out.append(cluster)
        welded = is_symbol
    padded: list[str] = []
    for unit in out:
        padded += [" ", unit, " "] if symbol(unit) else [unit]
    return padded


def pad_dots(units: list[str]) -> list[str]:
    out: list[str] = []
    for unit in units:
        if unit[0] == "." and out and set(out[-1]) == {"."}:
            out[-1] += unit
        else:
            out.append(unit)
    return [part for unit in out for part in ([" ", unit, " "] if unit.startswith("..") else [unit])]


def around(units: list[str], i: int) -> tuple[str, str]:
    return (units[i - 1] if i else " "), (units[i + 1] if i + 1 < len(units) else " ")


def pad_commas(units: list[str]) -> list[str]:
    out: list[str] = []
    for i, unit in enumerate(units):
        before, after = around(units, i)
        alone = unit[0] == "," and not (number(before) and number(after))
        out += [" ", unit, " "] if alone else [unit]
    return out


def split_apostrophes(units: list[str], lang: str) -> list[str]:
    out: list[str] = []
    for i, unit in enumerate(units):
        before, after = around(units, i)
        if unit[0] != "'":
            out.append(unit)
        elif lang in {"fr", "it", "ca"} and letter(before) and letter(after):
            out += [unit, " "]
        elif lang == "en" and letter(before) and letter(after):
            out += [" ", unit]
        elif lang == "en" and number(before) and letter(after):
            out += [" ", unit] if after[0] == "s" else [unit]
        else:
            out += [" ", unit, " "]
    return out


def words(units: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for unit in units:
        if unit == " ":
            found.append([])
        else:
            found[-1].append(unit)
    return [word for word in found if word]


def settle_periods(pieces: list[list[str]], lang: str, always: set[str], before_number: set[str]) -> list[str]:
    tokens: list[str] = []
    for i, piece in enumerate(pieces):
        text = "".join(piece)
        if piece[-1][0] != "." or piece[-1].startswith("..") or len(piece) == 1:
            tokens.append(text)
            continue
        word = "".join(piece[:-1])
        following = pieces[i + 1][0] if i + 1 < len(pieces) else ""
        keeps = (
            (following and unicodedata.category(following[0]) == "Ll")
            or (len(word) == 1 and word.isupper())
            or word in always
            or (following and following[0] in "0123456789" and word in before_number)
            or (lang in {"de", "cs"} and following and re.fullmatch(r"[0-9]{1,2}", word))
            or ("." in word and any(map(letter, word)))
        )
        tokens += [text] if keeps else [word, piece[-1]]
    return tokens


def tokenise(text: str, lang: str, always: set[str], before_number: set[str]) -> list[str]:
    units = pad_symbols(clusters(text))
    units = pad_commas(pad_dots(units))
    units = split_apostrophes(units, lang)
    return settle_periods(words(units), lang, always, before_number)


def escape(token: str) -> str:
    return "".join(ESCAPES.get(c, c) for c in token)


# The detokeniser.

ENTITIES = {
    "&amp;": "&", "&#124;": "|", "&lt;": "<", "&gt;": ">", "&apos;": "'", "&quot;": '"', "&#91;": "[", "&#93;": "]",
    "&bar;": "|", "&bra;": "[", "&ket;": "]",
}  # fmt: skip
ELIDED = {"d", "l", "o", "j", "m", "n", "t", "s", "c", "qu"}
SUFFIXES = {"s", "t", "d", "m", "n", "re", "ve", "ll", "em", "ne", "er", "ner", "nem", "nen", "ns"}
CONTRACTED = {"s", "t", "d", "m", "re", "ve", "ll"}
CLIPPED = {"po", "mo", "be", "va", "fa", "da", "di", "sta", "to", "ca"}
ROOTS = {"etc", "usr", "var", "dev", "proc", "home", "bin", "tmp", "lib", "sys", "opt", "boot", "sbin", "root", "run"}
PLURAL = {"s", "es", "e", "x", "n", "en", "in", "r", "a", "i", "o"}


def unescape(token: str) -> str:
    return re.sub("|".join(ENTITIES), lambda match: ENTITIES[match[0]], token)


TIGHT, LOOSE = "\uffed", "\u2581"


def unmarked(token: str) -> tuple[str, tuple[str, str]]:
    """A token without its marks, and the marks; one alone is a sign."""
    left = token[0] if token[0] in TIGHT + LOOSE and len(token) > 1 else ""
    token = token.removeprefix(left)
    right = token[-1] if token[-1] in TIGHT + LOOSE and len(token) > 1 else ""
    return token.removesuffix(right), (left, right)


def base(token: str) -> str:
    """The token without the marks that extend its last character."""
    stripped = token
    while stripped and is_extender(stripped[-1]):
        stripped = stripped[:-1]
    return stripped or token


def word_like(token: str) -> bool:
    return any(letter(c) or number(c) for c in token)


def ends_in_digit(token: str) -> bool:
    return bool(token) and number(token[-1])


def starts_with_digit(token: str) -> bool:
    return bool(token) and number(token[1:2] or "x" if token[0] in ".,-" else token[0])


def decade(token: str) -> bool:
    return starts_with_digit(token) and (token[-1] == "s" or (len(token.encode()) == 2 and number(token[-1])))


def lower(c: str) -> bool:
    return bool(c) and unicodedata.category(c) == "Ll"


def capitals(token: str) -> bool:
    return any(c.isupper() for c in token) and not any(map(lower, token))


class Detokeniser:
    def __init__(self, lang: str) -> None:
        self.lang = lang

    def detokenise(self, tokens: list[str]) -> str:
        tokens, marks = (
            map(list, zip(*(unmarked(unescape(token)) for token in tokens if token), strict=True))
            if tokens
            else ([], [])
        )
        self.hyphens = [token == "@-@" for token in tokens]
        tokens = ["-" if token == "@-@" else token for token in tokens]
        self.tokens = [base(token) for token in tokens]
        self.double = False
        self.single = False
        self.angle = False
        self.stack: list[str] = []
        out = ""
        tight = True
        for i, token in enumerate(tokens):
            left, right = self.sides(i)
            marked = (marks[i - 1][1] or marks[i][0]) if i else TIGHT
            space = marked == LOOSE if marked else not (tight or left)
            out += " " + token if space else token
            tight = right
        return out

    def at(self, i: int) -> str:
        return self.tokens[i] if 0 <= i < len(self.tokens) else ""

    def sides(self, i: int) -> tuple[bool, bool]:
        """Whether token i stands tight to its left, and to its right."""
        token, before, after, lang = self.at(i), self.at(i - 1), self.at(i + 1), self.lang
        if self.hyphens[i]:
            return True, True
        if token == '"':
            return self.straight_double(i)
        if token == "'":
            return self.straight_single(i)
        if token == "’":
            return self.curly_single(i)
        if lang == "en" and len(token) > 1 and token[0] == "'":
            return True, False
        if lang in {"fr", "it", "ca"} and len(token) > 1 and token[-1] == "'":
            return False, True
        if token in {"„", "‚", "“", "‘", "”", "«", "»", "‹", "›"}:
            return self.quote(token, before, after)
        if len(token) > 1 and token[0] == "-" and word_like(token):
            return before in {")", "]", "}", "”", "“", "»", "«", "+", "%", "’"} or (
                before == '"' and not self.double
            ), False
        return self.mark(i, token, before, after)

    def mark(self, i: int, token: str, before: str, after: str) -> tuple[bool, bool]:
        lang = self.lang
        if token in {",", ".", "।", "॥", ")", "]", "}", "،", "؟", "。", "、", "，", "！", "？"}:
            return True, False
        if token == "(":
            if (
                ends_in_digit(before)
                and len(after.encode()) <= 2
                and starts_with_digit(after)
                and self.at(i + 2) == ")"
            ):
                return True, True
            return word_like(before) and (after == ")" or (after in PLURAL and self.at(i + 2) == ")")), True
        if token in {"[", "{", "¿", "¡"}:
            return False, True
        if token in {"!", "?", ";", ":"}:
            if token == ":" and ends_in_digit(before) and starts_with_digit(after):
                return True, True
            if token == ":" and after in {"/", "\\", ":"}:
                return True, True
            if token == ":" and before == ":":
                return True, True
            spaced = lang == "fr" and before and before not in {"!", "?", "("}
            return not spaced, False
        if token in {"%", "‰"}:
            return ends_in_digit(before) and (
                lang not in {"de", "fr", "cs"} or (after[:1] == "-" and len(after) > 1)
            ), False
        if token == "/":
            root = (
                (after in ROOTS and self.at(i - 2) != "/")
                or not before
                or not (word_like(before) or before in {"/", ":", ".", ">", "~", "-", "*", "}", "]", ")", "+"})
            )
            return not root, True
        if token == "_":
            return word_like(before) and word_like(after), word_like(after)
        if token in {"\\", "^"}:
            return True, True
        if token == "=":
            return before in {"<", ">", "=", "!", ":", "+"}, False
        if token == "|":
            return before == "|", False
        if token == "@":
            return word_like(before), word_like(after)
        if token == "#":
            return False, True
        if token == "~":
            return False, True
        if token == "*":
            return False, after[:1] == "." or (word_like(after) and not word_like(before))
        if token == "<":
            self.angle = ">" in self.tokens[i + 1 :]
            return False, self.angle or after[:1] == "-"
        if token == ">":
            closing, self.angle = self.angle, False
            return closing or before[-1:] in {"-", "="}, False
        if token == "&":
            short = all(len(token) == 1 and capitals(token) for token in (before, after.removesuffix(".")))
            return short, short
        if token == "+":
            name = (
                not word_like(after)
                or (capitals(before) and len(before.encode()) > 1 and starts_with_digit(after))
                or (before[:1].isupper() and len(after.encode()) > 1 and lower(after[0]))
            )
            tight = word_like(before) and not ends_in_digit(before) and name
            tight = tight or before == "+"
            return tight, not tight and starts_with_digit(after) and not ends_in_digit(before)
        if token == "°":
            degrees = after in {"C", "F"}
            number_before = ends_in_digit(before) and (self.lang == "en" or not degrees)
            return number_before or before in {"n", "N"}, degrees
        if token in {"™", "®", "²", "³", "¹", "′", "″", "º", "ª"}:
            return True, False
        if token in {"½", "¼", "¾"}:
            return ends_in_digit(before), False
        if unicodedata.category(token[0]) == "Sc":
            dollars = capitals(before) and len(before.encode()) == 2
            return dollars, starts_with_digit(after) and not ends_in_digit(before)
        if token in {"–", "−"}:
            tight = ends_in_digit(before) and starts_with_digit(after)
            return tight or before == token, tight
        if token == "—":
            return lang == "en", lang == "en"
        if token == "…" or (len(token) > 1 and set(token) == {"."}):
            opening = not before or before in {"(", "[", "„", "“", "«", "¿", "¡"}
            return before != ",", opening
        return False, False

    def quote(self, token: str, before: str, after: str) -> tuple[bool, bool]:
        pairs = {"„": "“”", "‚": "‘’", "“": "”", "‘": "’", "«": "»", "»": "«", "‹": "›", "›": "‹"}
        if self.stack and token in pairs.get(self.stack[-1], ""):
            self.stack.pop()
            closing = True
        elif token == "”":
            closing = bool(before)
        elif (token in {"»", "›"} and (self.lang not in {"de", "cs"} or not word_like(after))) or (
            token in {"“", "‘"} and not word_like(after) and before
        ):
            closing = True
        else:
            closing = False
            self.stack.append(token)
        if self.lang == "fr" and token in {"«", "»", "‹", "›"}:
            return False, False
        return (True, False) if closing else (False, True)

    def straight_double(self, i: int) -> tuple[bool, bool]:
        before, after = self.at(i - 1), self.at(i + 1)
        if self.double and before == ":" and word_like(after):
            return False, True
        if self.double:
            self.double = False
            return True, False
        if before and after in {"", ",", ".", ";", ":", "!", "?", ")"}:
            return True, False
        later = '"' in self.tokens[i + 1 :]
        if not later:  # it opens what another line closes, or closes what another line opened, or means inches
            speech = before in {",", ".", "!", "?"} and lower(after[:1])
            opens = word_like(after) and not ends_in_digit(before) and not speech
            self.double = opens
            return not opens, opens
        self.double = True
        return False, True

    def straight_single(self, i: int) -> tuple[bool, bool]:
        before, after = self.at(i - 1), self.at(i + 1)
        later = "'" in self.tokens[i + 1 :]
        between = word_like(before) and word_like(after)
        if (
            self.lang not in {"en", "fr", "it", "ca"}
            and between
            and (after.lower() in SUFFIXES or before.lower() in ELIDED)
        ):
            return True, True
        if self.lang == "en" and between and after.lower() in CONTRACTED:
            return True, True
        if self.lang in {"fr", "it", "ca"} and before.lower() in ELIDED and after in {'"', "«", "“", "»"}:
            return True, True
        if ends_in_digit(before) and starts_with_digit(after):
            return True, True
        if self.single:
            self.single = False
            return True, False
        if self.lang == "it" and before.lower() in CLIPPED:
            return True, False
        if decade(after):
            return False, True
        if later and before[-1:] == "s" and len(before) > 3:
            j = self.tokens.index("'", i + 1)
            later = not (self.at(j - 1)[-1:] == "s" or decade(self.at(j + 1)))  # not the end of a quotation
        if later and not (before and not word_like(after)):
            self.single = True
            return False, True
        if ends_in_digit(before) or (before and before[-1] in "sxzß") or (before and not word_like(after)):
            return True, False
        if self.double and '"' not in self.tokens[i + 1 :] and word_like(before):
            self.double = False
            return True, False
        tight = between and self.lang != "en"
        return tight, True

    def curly_single(self, i: int) -> tuple[bool, bool]:
        before, after = self.at(i - 1), self.at(i + 1)
        between = word_like(before) and word_like(after)
        if between and (after.lower() in SUFFIXES or before.lower() in ELIDED or self.lang in {"fr", "it", "ca"}):
            return True, True
        if self.stack and self.stack[-1] in {"‘", "‚"}:
            self.stack.pop()
            return True, False
        if before and (before[-1] in "sxzß" or not word_like(after)):
            return True, False
        if not before:
            return False, True
        return True, True
