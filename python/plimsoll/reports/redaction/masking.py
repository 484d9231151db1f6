"""Words replaced in a stretch of text, by how much of it may stay.

*Prose* keeps known words. *Names* keeps Oracle's own names alone. *Whole* keeps nothing with a letter in it, nor digits beside one;
*secret* keeps nothing at all: it is for SQL and what is bound to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from plimsoll.reports.redaction.pseudonyms import Pseudonyms
from plimsoll.reports.redaction.vocabulary import PLATFORM, begins_known, is_known, is_own_name, is_wait_class

_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u109f\u1780-\u17d3\u3099\u309a"
"""Accents and vowels of scripts that write them as signs of their own, which Python does not count to words."""
_IN_WORD = rf"[\w$#{_MARKS}]"
_WORD = re.compile(rf"[^\W\d_]{_IN_WORD}*|[_$#]{_IN_WORD}+|\d+[^\W\d]{_IN_WORD}*|\d+")
"""A word, or a number; what begins with a digit and holds letters is a word as well."""
_RUN = re.compile(r"\S+")
_QUANTITY = re.compile(
    r"\d+(?:[BEKMGTPkmgt]|[KMGTP]i?B|kB|bytes|[nmu]?s|[mnu]|min|mins|h|d|bit|nd|rd|st|th|way|hop|bk|x|D|g|c|i|月)?"
)
"""Digits with what a number may end with."""
_NUMBERS = re.compile(r"\d+(?:_\d+)+")
_NUMBER_RUN = re.compile(
    r"[-+<>=~(\[:]*[\d,.:/#%*\s-]*(?:\d[\d,.:/-]*(?:[Ee][-+]?\d+)?(?:[KMGTP]i?B?|kB|bytes|[nmu]?s|min|mins|m|h|d)?)?[)\]%,;:.+]*"
)
_DATE_RUN = re.compile(
    r"\(?\d{1,4}[-/. ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mai|okt|dez|\d{1,2}月?)(?:[-/. ]\d{1,4})?\)?,?",
    re.IGNORECASE,
)
_TASK = re.compile(r"ADDM:\d+(?:_\d+)+")
"""The name of an analysis: the number of the database, of the instance and of a snapshot."""
_SQL_ID = re.compile(r"(?=\w*\d)[0-9abcdfg][0-9abcdfghjkmnp-z]{12}")
_SPECIAL = re.compile(
    r"""
    (?P<mail>[^\s"'<>(),;=]+@[^\s"'<>(),;=]+)
    |(?P<path>(?<![\w)%])/(?:[\w.$\#+@%~-]+/)+[\w.$\#+@%~-]*|(?<![\w])[A-Za-z]:\\[^\s"'<>,;]+|(?<!\w)\\\\[^\s"'<>,;]+
        |(?<!\w)\+\w+/[^\s"'<>,;]+)
    |(?P<address>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)|(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){4,7}[0-9a-fA-F]{0,4}(?![\w:]))
    |(?P<named>\b(?:DB/Inst|DB\ Name|Database\ Name|DB|Inst|Instance|Instance\ Name|Database|Host|Host\s+Name|Hostname|Service
        |User|User\ Name|Schema|Module|Program|Action|Container|Container\ Name|PDB|Machine|Node):[ ]+
        (?!\w(?:[\w()%/]|[ ](?![ ]))*:\s))(?P<value>[^\s,;<>&]+)
    |(?P<quoted>(?<![\w"])"[^"\n]{1,400}"|(?<![\w'])'[^'\n]{1,200}'(?!\w))
    """,
    re.VERBOSE,
)
_HAS_SPECIAL = re.compile(r"[@/\\\"']|\d\.\d+\.\d|:[ ]|:[0-9a-fA-F]*:")
_VERSION_BEFORE = re.compile(r"(?:[Rr]elease|[Vv]ersion)\s*:?\s*$")
_LABEL = re.compile(r"(?:^\s*|(?<=[\d)] )|(?<=\s\s))(?P<words>[A-Za-z%#][\w %()/.,+&<>=#*-]*):(?=\s|$)")
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3}){3}(?:,\d+)?")
"""A number of billions with points between its groups, which may be an address as well."""
_FRACTION = re.compile(r",\d{1,2}(?![\d.])")
ADDRESS_POINTS = 3
"""A text of fewer points holds no address."""
_OCTET_MAX = 255
_OCTET_SIGNS = 3
_ANNOUNCED = "|".join(f"(?<={words} )" for words in ("of instance", "hosted at", "on host", "Instanz", "auf"))
"""Behind which ADDM names an instance or a host."""
_GAP = re.compile(r"(\s{2,}|^\s)")
_FILLING = "\ue000"
"""Stands behind a sign that a page writes out."""
_LETTER = re.compile(r"[^\W\d_]")


class Masks:
    """Text without names, by one set of pseudonyms. `learned` are names that the head of the report tells.

    Those that are Oracle's words go only where names stand: elsewhere what is around them would tell which word it was.
    """

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._known: dict[str, str] = {}
        self._cut: dict[str, str] = {}
        self._strict: dict[str, str] = {}
        self._learned: re.Pattern[str] | None = None
        self._heads: frozenset[str] = frozenset()
        self._holds_head: re.Pattern[str] | None = None
        self._dots_group = False

    def learn(self, names: Iterable[str], dots_group: bool = False) -> None:
        """Replaces these wherever they stand, but those that are known words themselves.

        Where dots group the digits of numbers, four groups are an address only where they cannot be told from one.
        """
        self._dots_group = dots_group
        names = tuple(name for name in names if is_of_its_own(name))
        self._heads = frozenset(name.lower() for name in names)
        self._holds_head = _one_of(_alternatives(names))
        telling = _alternatives(filter(_is_telling, names))
        self._learned = _one_of("|".join(filter(None, (telling, _told(_alternatives(names))))))
        self._strict.clear()

    def is_head(self, text: str) -> bool:
        """Whether it is one of those names and nothing else, be it a known word or not."""
        return text.strip().lower() in self._heads

    def knows_in(self, text: str) -> bool:
        """Whether a name that was learned stands in a text."""
        return self._learned is not None and self._learned.search(text) is not None

    def is_amount(self, text: str) -> bool:
        """Whether a cell of a column of amounts is a number whose points part its groups, though it may look like an address."""
        return self._dots_group and _GROUPED.fullmatch(text.strip()) is not None

    def may_hold_amount(self, text: str) -> bool:
        """Whether a line holds what its column has to tell from an address."""
        return self._dots_group and _GROUPED.search(text) is not None

    def may_hold_head(self, text: str) -> bool:
        """Whether one of those names stands in a line, which its column has to tell from one of Oracle's words."""
        return self._holds_head is not None and self._holds_head.search(text) is not None

    def prose(self, text: str, cut: bool = False) -> str:
        """Known words stay; with `cut` also the beginnings of known ones, as narrow columns have them."""
        if not _LETTER.search(text) and text.count(".") < ADDRESS_POINTS:
            return text
        if not _HAS_SPECIAL.search(text):
            return self._words(text, cut)
        pieces, at = [], 0
        for found in _SPECIAL.finditer(text):
            pieces += [self._words(text[at : found.start()], cut), self._special(found)]
            at = found.end()
        return "".join([*pieces, self._words(text[at:], cut)])

    def names(self, text: str) -> str:
        """A column of names: Oracle's own stay, numbers and dates stay, labels of known words and what a host runs as well."""
        if not _LETTER.search(text):
            return text if text.count(".") < ADDRESS_POINTS else _RUN.sub(self._run, text)
        if ":" in text and (label := _LABEL.search(text)):
            if all(map(is_known, _words_in(label["words"]))):
                return self.names(text[: label.start()]) + label[0] + self.names(text[label.end() :])
            if len(pieces := _GAP.split(text)) > 1:
                return "".join(map(self.names, pieces))
        if (platform := PLATFORM.search(text)) is not None:
            begin, end = platform.span()
            return self.names(text[:begin]) + platform[0] + self.names(text[end:])
        return _RUN.sub(self._run, text)

    def whole(self, text: str) -> str:
        """Something that is a name as a whole: digits in it, too."""
        if self.is_head(text):
            return _WORD.sub(lambda found: self._never_own(found[0]), text)
        return _WORD.sub(lambda found: self._strictly(found[0]), text)

    def secret(self, text: str) -> str:
        """Nothing stays but blanks and ends of lines."""
        return self._pseudonyms.noise(text) if text.strip() else text

    def hashes(self, text: str) -> str:
        """A column of hashes of statements or plans, or of SQL_IDs."""
        return _WORD.sub(lambda found: self._hash(found[0]), text)

    def _hash(self, word: str) -> str:
        if word.isdecimal() and word.isascii():
            return self._pseudonyms.number(word)
        return self._strictly(word)

    def _run(self, found: re.Match[str]) -> str:
        run = found[0]
        if _NUMBER_RUN.fullmatch(run) or _DATE_RUN.fullmatch(run) or _TASK.fullmatch(run):
            return self._address(run) if run.count(".") >= ADDRESS_POINTS else run
        return self.whole(run)

    def _address(self, run: str) -> str:
        found = (each for each in _SPECIAL.finditer(run) if each["address"])
        return run if all(map(self._is_number, found)) else self.whole(run)

    def _is_number(self, found: re.Match[str]) -> bool:
        """Whether what looks like an address can only be a number, wherever it stands."""
        address = found["address"]
        if not self._dots_group or not _GROUPED.fullmatch(address):
            return False
        return _FRACTION.match(found.string, found.end()) is not None or _is_no_address(address.split("."))

    def _special(self, found: re.Match[str]) -> str:
        text = found[0]
        if found["named"]:
            return found["named"] + self._named(found["value"])
        if found["quoted"]:
            return text[0] + self._quoted(text[1:-1]) + text[-1]
        is_version = found["address"] and _VERSION_BEFORE.search(found.string[: found.start()])
        if is_version or (found["address"] and self._is_number(found)):
            return text
        return self.whole(text)

    def _named(self, value: str) -> str:
        return value if _NUMBER_RUN.fullmatch(value) else self.whole(value)

    def _quoted(self, text: str) -> str:
        """An event, a statistic or a parameter in quotes is of known words in small letters; anything else is somebody's name."""
        words = _words_in(text)
        if _TASK.fullmatch(text.strip(_FILLING)):
            return text
        if is_wait_class(text):
            return text
        if text == text.lower() and len(words) != 1 and all(map(is_known, words)):
            return text
        if len(words) == 1 and "_" in text and is_known(text):
            return text
        return self.whole(text)

    def _words(self, text: str, cut: bool) -> str:
        if self._learned is None or not (names := list(self._learned.finditer(text))):
            return self._plain_words(text, cut)
        pieces, at = [], 0
        for found in names:
            pieces += [self._plain_words(text[at : found.start()], cut), self.whole(found[0])]
            at = found.end()
        return "".join([*pieces, self._plain_words(text[at:], cut)])

    def _plain_words(self, text: str, cut: bool) -> str:
        cache = self._cut if cut else self._known

        def replaced(found: re.Match[str]) -> str:
            word = found[0]
            new = cache.get(word)
            if new is None:
                new = cache[word] = self._known_or_not(word, cut)
            return new

        return _WORD.sub(replaced, text)

    def _known_or_not(self, word: str, cut: bool) -> str:
        if (
            is_known(word)
            or _NUMBERS.fullmatch(word)
            or _QUANTITY.fullmatch(word)
            or (cut and begins_known(word))
        ):
            return word
        return self._strictly(word)

    def _never_own(self, word: str) -> str:
        """A word of a name in the head, which goes also where every database has it."""
        return word if len(word) == 1 and not word.isdecimal() else self._pseudonyms.another(word)

    def _strictly(self, word: str) -> str:
        new = self._strict.get(word)
        if new is None and word.lower() in self._heads:
            new = self._strict[word] = self._never_own(word)
        if new is None:
            stays = is_own_name(word) or (len(word) == 1 and not word.isdecimal())
            new = word if stays else self._other(word)
            self._strict[word] = new
        return new

    def _other(self, word: str) -> str:
        return self._pseudonyms.sql_id(word) if _SQL_ID.fullmatch(word) else self._pseudonyms.name(word)


def known_label(line: str) -> int:
    """Where the label ends that begins a line, of known words and a colon; 0 where there is none."""
    found = _LABEL.match(line) if ":" in line else None
    return found.end() if found and all(map(is_known, _words_in(found["words"]))) else 0


def _is_no_address(groups: Sequence[str]) -> bool:
    """A group is too large for an octet, or some are filled up with zeros and the first is not."""
    first, *others = groups
    is_filled = len(first) < _OCTET_SIGNS and any(group.startswith("0") for group in others)
    return is_filled or any(int(group) > _OCTET_MAX for group in groups)


def _words_in(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not word.isdecimal()]


def is_of_its_own(name: str) -> bool:
    """Whether a name says anything of its owner: it has a word of more than a letter, and is no root or seed of containers."""
    return any(len(word) > 1 for word in _words_in(name)) and not ("$" in name and is_own_name(name))


def _alternatives(names: Iterable[str]) -> str:
    """The longest first."""
    return "|".join(map(re.escape, sorted(set(names), key=len, reverse=True)))


def _told(names: str) -> str:
    """Where sentences and titles name a database, an instance or a host, be it on the last line of a sentence that is broken."""
    if not names:
        return ""
    return rf"(?:{names})/(?:{names})|(?:{_ANNOUNCED})(?:{names})|\A\s*(?:{names})\.\s*\Z"


def _one_of(alternatives: str) -> re.Pattern[str] | None:
    """Each where no letter or digit stands beside it; None of none."""
    return re.compile(rf"(?<![\w$#])(?:{alternatives})(?![\w$#])", re.IGNORECASE) if alternatives else None


def _is_telling(name: str) -> bool:
    """Whether a name can be looked for everywhere: it is longer than a syllable, and not made of known words alone."""
    words = _words_in(name)
    return len(name) > 2 and not all(
        is_known(word) or is_known(word.lower()) or is_own_name(word) for word in words
    )
