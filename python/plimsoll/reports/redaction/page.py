"""A report as a page: the text between tags, and the attributes in them, each as what it is; nothing moves.

Cells of a table are what the heading over them says. Outside of tables stands prose, and in blocks of fixed width a report as text.
A page that SQL*Plus has cut at one width has its lines joined before, and cut again at the very places behind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html import unescape

from plimsoll.reports.redaction.columns import Content
from plimsoll.reports.redaction.heads import Heads
from plimsoll.reports.redaction.masking import ADDRESS_POINTS, Masks

_PIECE = re.compile(
    r"""<!--.*?-->|<[/!?]?[A-Za-z](?:[^<>"']|"[^"<]*"|'[^'<]*')*>|<[^<>]*>|[^<]+|<""", re.DOTALL
)
_TAG = re.compile(r"<(/?)([A-Za-z]\w*)(?=[\s/>])")
_ELEMENTS = frozenset(
    {
        "a", "abbr", "b", "big", "blockquote", "body", "br", "button", "caption", "center", "code", "col", "colgroup",
        "dd", "div", "dl", "dt", "em", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header",
        "hr", "html", "i", "img", "input", "label", "li", "link", "main", "meta", "nav", "nobr", "noscript", "ol",
        "option", "p", "pre", "pre_sqltext", "s", "samp", "script", "section", "select", "small", "span", "strike",
        "strong", "style", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "tt", "u", "ul",
    }
)  # fmt: skip
"""What a page is made of; anything else between these signs is text that compares, or somebody's own."""
_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]+)(?:(\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+))?""")
_ATTRIBUTES = frozenset(
    {"href", "name", "id", "title", "summary", "headers", "src", "alt", "value", "http-equiv"}
)
"""Those that say something; their values are masked."""
_LOOKS = frozenset(
    {
        "class", "width", "height", "border", "align", "valign", "style", "cellspacing", "cellpadding", "colspan", "rowspan",
        "scope", "bgcolor", "color", "size", "face", "lang", "type", "rel", "charset", "nowrap",
    }
)  # fmt: skip
"""Attributes that say how it looks, and no word of the report."""
_OF_LOOKS = re.compile(r"(/\*|\burl\()((?<=\*).*?(?=\*/|\Z)|(?<=\()[^)]*)", re.DOTALL)
"""What may name something among the rules of how a page looks: a comment, an address."""
_ENTITY_SIGNS_MAX = 2
"""No entity stands for more signs; what does is none."""
_ENTITY = re.compile(r"&(?:[A-Za-z]+|#\d+|#x[0-9A-Fa-f]+);")
_FILLING = "\ue000"
"""No word, no blank, and in no report."""
_LETTER = re.compile(r"[^\W\d_]")
_COMMENT_LENGTH_MIN = 7
_CUT_LINES_MIN = 10
_CUT_SHARE_MIN = 0.05
_CUT_WIDTHS = range(60, 4096)
_LONGER_SHARE = 1000


class Page:
    """One pass over a page, with what is known of the table at hand."""

    def __init__(self, masks: Masks, text_lines: Callable[[str], str]) -> None:
        self._masks = masks
        self._text_lines = text_lines
        self._tags: dict[str, str] = {}
        self._heads = Heads()
        self._place: str = ""
        """The element whose text comes: td, th, pre, style, script, or none of them."""

    def redacted(self, text: str) -> str:
        """The whole page."""
        return "".join(self._piece(piece) for piece in _PIECE.findall(text))

    def _piece(self, piece: str) -> str:
        if piece.startswith("<!--") and piece.endswith("-->") and len(piece) >= _COMMENT_LENGTH_MIN:
            return f"<!--{self._masks.secret(piece[4:-3])}-->"
        tag = _TAG.match(piece) if piece.startswith("<") and piece.endswith(">") else None
        if tag is None or self._is_text(tag, piece):
            return self._text(piece)
        self._enter(bool(tag[1]), tag[2].lower(), piece)
        return self._tag(piece, tag.end())

    def _is_text(self, tag: re.Match[str], piece: str) -> bool:
        """Whether it is none of a page's own: what a statement compares has words in it that have no value."""
        if tag[2].lower() not in _ELEMENTS:
            return True
        return self._is_secret() and any(
            found[2] is None and found[1].lower() not in _LOOKS
            for found in _ATTRIBUTE.finditer(piece, tag.end())
        )

    def _is_secret(self) -> bool:
        return self._place == "td" and self._content() == "secret"

    def _enter(self, is_end: bool, name: str, tag: str) -> None:
        if name in ("td", "th"):
            self._place = "" if is_end else name
            if not is_end:
                self._heads.begin_cell(name == "th", tag)
        elif name == "tr":
            self._end_row()
        elif name == "table":
            self._end_row()
            self._heads = Heads()
        elif name in ("pre", "style", "script") and self._place not in ("td", "th"):
            self._place = "" if is_end else name

    def _end_row(self) -> None:
        self._heads.end_row()
        self._place = ""

    def _tag(self, tag: str, name_end: int) -> str:
        made = self._tags.get(tag)
        if made is None:
            made = self._tags[tag] = tag[:name_end] + _ATTRIBUTE.sub(self._attribute, tag[name_end:])
        return made

    def _attribute(self, found: re.Match[str]) -> str:
        name, equals, value = found.groups()
        if name.lower() in _LOOKS:
            return _OF_LOOKS.sub(self._of_looks, found[0])
        name = name if name.lower() in _ATTRIBUTES else self._masks.prose(name)
        if value is None:
            return name
        quote = value[0] if value[0] in "\"'" else ""
        inner = value[1:-1] if quote else value
        return f"{name}{equals}{quote}{self._masks.prose(inner)}{quote}"

    def _of_looks(self, found: re.Match[str]) -> str:
        return found[1] + self._masks.secret(found[2])

    def _text(self, text: str) -> str:
        if self._place == "style":
            return _OF_LOOKS.sub(self._of_looks, text)
        if self._place == "script":
            return self._masks.secret(text)
        if self._place == "pre":
            return _between_entities(text, self._text_lines)
        if self._place == "td":
            return self._cell(text)
        if self._place == "th" and not text.startswith("<"):
            self._heads.say(text)
        return _between_entities(text, self._masks.prose)

    def _content(self) -> Content:
        """What stands in the cell at hand."""
        contents = self._heads.contents
        return contents[self._heads.column] if self._heads.column < len(contents) else "names"

    def _cell(self, text: str) -> str:
        content, amounts = self._content(), self._heads.amounts
        if self._heads.column < len(amounts) and amounts[self._heads.column] and self._masks.is_amount(text):
            return text
        if content == "secret":
            return text if text.strip() in ("", "&nbsp;") else self._masks.secret(text)
        if content == "names" and not _LETTER.search(text) and text.count(".") < ADDRESS_POINTS:
            return text
        if content == "prose":
            return _between_entities(text, lambda part: self._masks.prose(part, cut=True))
        return _between_entities(text, self._masks.hashes if content == "hashes" else self._masks.names)


def _between_entities(text: str, mask: Callable[[str], str]) -> str:
    """Masked with signs in the place of their names, which come back; the names of letters are masked like words."""
    if "&" not in text:
        return mask(text)
    entities = [found for found in _ENTITY.finditer(text) if not _is_letter(found[0])]
    made = mask(_ENTITY.sub(_as_sign, text))
    for found in entities:
        made = made[: found.start()] + found[0] + made[found.end() :]
    return made


def _as_sign(entity: re.Match[str]) -> str:
    sign = "x" * len(entity[0]) if _is_letter(entity[0]) else unescape(entity[0])[:1]
    return sign.ljust(len(entity[0]), _FILLING)


def _is_letter(entity: str) -> bool:
    """Also where it is no entity at all, so that it may be a name."""
    sign = unescape(entity)
    return len(sign) > _ENTITY_SIGNS_MAX or sign.isalnum()


def redact_page(text: str, masks: Masks, text_lines: Callable[[str], str]) -> str:
    """The page without names; see `Page`."""
    width = _cut_width(text)
    if width is None:
        return Page(masks, text_lines).redacted(text)
    lines = text.split("\n")
    joined = "".join(line if _width(line) >= width else f"{line}\n" for line in _without_returns(lines))
    return _cut_again(Page(masks, text_lines).redacted(joined), lines, width)


def _cut_width(text: str) -> int | None:
    """The greatest width that many lines have and hardly any exceeds, as the reader of reports has it."""
    lines = text.split("\n")
    if len(lines) <= _CUT_LINES_MIN:
        return None
    counts = Counter(_width(line) for line in lines[:-1])
    total, longer = sum(counts.values()), 0
    longer = sum(count for width, count in counts.items() if width >= _CUT_WIDTHS.stop)
    for width in reversed(_CUT_WIDTHS):
        longer += counts[width + 1] if width + 1 < _CUT_WIDTHS.stop else 0
        if longer > 2 + total // _LONGER_SHARE:
            return None
        if counts[width] >= total * _CUT_SHARE_MIN:
            return width
    return None


def _width(line: str) -> int:
    return len(line) - line.endswith("\r")


def _without_returns(lines: list[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]


def _cut_again(joined: str, lines: list[str], width: int) -> str:
    """The text with its lines ended where they were."""
    made, at = [], 0
    for line in lines:
        length = _width(line)
        made.append(joined[at : at + length] + line[length:])
        at += length + (length < width)
    return "\n".join(made)
