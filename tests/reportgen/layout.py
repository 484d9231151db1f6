"""How a report is set: release, kind, form, paging, locale and damage; and what depends on the release alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

RELEASES = {
    "8.1.7": "8.1.7.4.0",
    "9.2": "9.2.0.8.0",
    "10.1": "10.1.0.5.0",
    "10.2": "10.2.0.4.0",
    "11.1": "11.1.0.7.0",
    "11.2.0.3": "11.2.0.3.0",
    "11.2.0.4": "11.2.0.4.0",
    "12.1": "12.1.0.2.0",
    "12.2": "12.2.0.1.0",
    "18": "18.0.0.0.0",
    "19": "19.0.0.0.0",
    "21": "21.0.0.0.0",
    "23": "23.0.0.0.0",
}


class Kind(StrEnum):
    """A kind of report, named as the reader names it."""

    STATSPACK = "statspack"
    AWR = "awr"
    GLOBAL = "awr-global"
    PDB = "awr-pdb"


class Form(StrEnum):
    """Text or HTML."""

    TEXT = "text"
    HTML = "html"


class Damage(StrEnum):
    """One thing that happens to reports on their way."""

    HARD_WRAP = "hard wrap"
    SPLIT_ROWS = "page breaks inside rows"
    BLANK_COLUMNS = "blanked columns"
    OVERFLOW = "overflow"
    ORACLE_ERRORS = "embedded errors"
    DOUBLED_QUOTES = "doubled quotes and broken end tags"
    UPPER_CASE_TAGS = "upper-case unquoted tags, one cell per line"
    CRLF = "CRLF"
    NO_FORM_FEEDS = "form feeds stripped"
    UTF8_BOM = "UTF-8 with a mark"
    UTF16 = "UTF-16"
    GBK = "GBK"
    WINDOWS_1252 = "Windows-1252"
    WRAPPED_HOST = "wrapped host line"
    NO_END_TAGS = "missing end tags"
    NO_SUMMARIES = "no summary attributes"
    EMPTY_HEADINGS = "emptied headings"


TEXT_ONLY = {Damage.SPLIT_ROWS, Damage.WRAPPED_HOST, Damage.NO_FORM_FEEDS}
HTML_ONLY = {
    Damage.HARD_WRAP,
    Damage.DOUBLED_QUOTES,
    Damage.UPPER_CASE_TAGS,
    Damage.NO_END_TAGS,
    Damage.NO_SUMMARIES,
    Damage.EMPTY_HEADINGS,
}
ENCODINGS = {
    Damage.UTF8_BOM: "utf-8-sig",
    Damage.UTF16: "utf-16",
    Damage.GBK: "gbk",
    Damage.WINDOWS_1252: "windows-1252",
}


@dataclass(frozen=True)
class Layout:
    """How to set a report. `width` is the line length of the text, `page_length` its lines per page, 0 for one page."""

    release: str = "19"
    kind: Kind = Kind.AWR
    form: Form = Form.HTML
    width: int = 80
    page_length: int = 60
    comma: bool = False
    damage: frozenset[Damage] = field(default_factory=frozenset[Damage])

    @property
    def version(self) -> tuple[int, ...]:
        """The release as numbers to compare, such as (11, 2, 0, 4)."""
        return tuple(int(part) for part in self.release.split("."))

    def since(self, *version: int) -> bool:
        """Whether the release is this one or a later one."""
        return self.version >= version

    @property
    def full_release(self) -> str:
        """The release with its five parts, as headers print it."""
        return RELEASES[self.release]

    @property
    def html(self) -> bool:
        """Whether it is HTML."""
        return self.form is Form.HTML

    @property
    def statspack(self) -> bool:
        """Whether Statspack made it."""
        return self.kind is Kind.STATSPACK

    @property
    def encoding(self) -> str:
        """The encoding of its bytes."""
        return next((name for damage, name in ENCODINGS.items() if damage in self.damage), "utf-8")

    @property
    def unit_waits(self) -> bool:
        """Whether average waits carry their unit."""
        return not self.statspack and self.since(12, 2)

    @property
    def label(self) -> str:
        """A short name for tests: `awr html 19`."""
        parts = [self.kind.value, self.form.value, self.release, "comma" if self.comma else ""]
        return " ".join([part for part in parts if part] + sorted(damage.value for damage in self.damage))


def plain_layouts() -> list[Layout]:
    """Every release, kind and form that exists, undamaged."""
    made = [Layout(release, kind, form) for release in RELEASES for kind in Kind for form in Form]
    return [layout for layout in made if exists(layout)]


def exists(layout: Layout) -> bool:
    """Whether Oracle prints this kind in this form in this release."""
    if layout.kind is Kind.STATSPACK:
        return layout.form is Form.TEXT
    if layout.kind is Kind.GLOBAL:
        return layout.form is Form.HTML and layout.since(12, 1)
    return layout.since(12, 2) if layout.kind is Kind.PDB else layout.since(10, 1)


def fits(damage: Damage, form: Form) -> bool:
    """Whether a damage can befall this form."""
    return damage not in (HTML_ONLY if form is Form.TEXT else TEXT_ONLY)
