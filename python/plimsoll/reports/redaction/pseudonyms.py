"""What stands in a name's place: letters for letters and digits for digits, by a secret key.

Names of one shape are permuted among themselves (a Feistel network of HMAC-SHA-256 over any range, walked along its cycle), so that
two names never become one, no table of names has to be kept, and the same key gives the same names in a later call. Whoever
has the key can take it back; nobody else can. That a name of one or two letters stays what it is may happen, as for any other.

Source: J. Black, P. Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Sequence
from hashlib import shake_128
from math import isqrt, prod

from plimsoll.reports.redaction.vocabulary import is_own_name

KEY_BYTES_MIN = 16
"""128 bits: what nobody guesses."""
_ROUNDS = 8
_TRIES = 99
"""Permutations after which a word stays what it is: none does that has a letter or a digit."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_SQL_ID = "0123456789abcdfghjkmnpqrstuvwxyz"
"""How Oracle writes 64 bits in 13 characters; the first holds four of them."""
_SQL_ID_ALPHABETS = (_SQL_ID[:16], *[_SQL_ID] * 12)
_ROLE = re.compile(r"UNDO(?:TBS)?|TE?MP|RBS|ROLLBACK", re.IGNORECASE)
"""What says of a tablespace what it is for, which placement goes by."""
_NOISE = bytes(ord(_LETTERS[byte % 26]) for byte in range(256))


class Pseudonyms:
    """Names for names, by one key."""

    def __init__(self, key: bytes) -> None:
        if len(key) < KEY_BYTES_MIN:
            raise ValueError(f"a key of {len(key)} bytes can be guessed")
        self._key = key
        self._names: dict[str, str] = {}

    def name(self, word: str) -> str:
        """Another word of the same length, with capitals, digits and signs where they were; equal but for case, equal again."""
        found = self._names.get(word)
        if found is None:
            role = _ROLE.match(word)
            kept = role[0] if role else ""
            rest = word[len(kept) :]
            # TEMP2 is a name that many databases have.
            is_plain = bool(kept) and not any(map(str.isalpha, rest))
            found = word if is_plain else kept + self._permuted_name(rest, f"name:{kept.lower()}")
            self._names[word] = found
        return found

    def another(self, word: str) -> str:
        """The same, but that no word stays what it is: not what every database has, nor what is its own pseudonym by chance.

        Unlike two of `name`, one of these and another word's may be the same, as seldom as there are many words of their shape.
        """
        found = self.name(word)
        plain = self._in_ascii(_small(word))
        alphabets = [_alphabet(sign) for sign in plain]
        for number in range(_TRIES):
            if _small(found) != _small(word):
                break
            made = self._permuted(plain, alphabets, f"head:{number}", _anything)
            found = word if is_own_name(made) else _as_written(word, made)
        return found

    def sql_id(self, word: str) -> str:
        """Another SQL_ID."""
        return self._permuted(word, _SQL_ID_ALPHABETS, "sql-id", _anything)

    def number(self, digits: str) -> str:
        """Another number of as many digits, for the hash of a statement or a plan."""
        if len(digits) < 2:
            return digits
        first = "0" if digits.startswith("0") else "123456789"
        return self._permuted(digits, (first, *[_DIGITS] * (len(digits) - 1)), "number", _anything)

    def noise(self, text: str) -> str:
        """As many letters, from which nothing can be told but where blanks and lines were; equal texts give equal letters."""
        stream = shake_128(self._key + b"noise" + text.encode("utf-8", "surrogatepass")).digest(len(text))
        letters = stream.translate(_NOISE).decode()
        return "".join(sign if sign.isspace() else letter for sign, letter in zip(text, letters, strict=True))

    def _permuted_name(self, word: str, tweak: str) -> str:
        plain = self._in_ascii(_small(word))
        alphabets = [_alphabet(sign) for sign in plain]
        made = self._permuted(plain, alphabets, tweak, lambda other: not is_own_name(other))
        return _as_written(word, made)

    def _in_ascii(self, word: str) -> str:
        """Letters of other scripts become Latin ones, so that text stays readable in any encoding."""
        if word.isascii():
            return word
        letters = self.noise(word)
        return "".join(sign if sign.isascii() else letter for sign, letter in zip(word, letters, strict=True))

    def _permuted(
        self, word: str, alphabets: Sequence[str], tweak: str, is_fit: Callable[[str], bool]
    ) -> str:
        """The first fit word behind this one on its cycle, among all of its shape."""
        shape = f"{tweak}:{'/'.join(map(_shown, alphabets))}".encode()
        size = prod(map(len, alphabets))
        if size < 2 or not is_fit(word):
            return word
        place = _number_of(word, alphabets)
        while True:
            place = self._next(place, size, shape)
            made = _word_of(place, alphabets)
            if is_fit(made):
                return made

    def _next(self, place: int, size: int, shape: bytes) -> int:
        """The permutation of whole numbers below `size`."""
        low_size = isqrt(size - 1) + 1
        high_size = -(-size // low_size)
        while True:
            high, low = divmod(place, low_size)
            for number in range(_ROUNDS // 2):
                low = (low + self._drawn(shape, 2 * number, high, low_size)) % low_size
                high = (high + self._drawn(shape, 2 * number + 1, low, high_size)) % high_size
            place = high * low_size + low
            if place < size:
                return place

    def _drawn(self, shape: bytes, number: int, half: int, size: int) -> int:
        """Nearly even among the numbers below `size`: 128 bits more are drawn than it has."""
        count = (size.bit_length() + 135) // 8
        seed = hmac.digest(self._key, b"%s|%d|%d" % (shape, number, half), "sha256")
        drawn = seed if count <= len(seed) else shake_128(seed).digest(count)
        return int.from_bytes(drawn, "big") % size


def _anything(_: str) -> bool:
    return True


def _alphabet(sign: str) -> str:
    return _DIGITS if sign in _DIGITS else _LETTERS if sign in _LETTERS else sign


def _as_written(word: str, other: str) -> str:
    """The other word with capitals where this one has them."""
    return "".join(new.upper() if old.isupper() else new for old, new in zip(word, other, strict=True))


def _small(word: str) -> str:
    """In small letters, as many: the small form of a Turkish capital is two signs, and that capital stays."""
    small = word.lower()
    return small if len(small) == len(word) else "".join(map(_small_letter, word))


def _small_letter(letter: str) -> str:
    small = letter.lower()
    return small if len(small) == 1 else letter


def _shown(alphabet: str) -> str:
    return f"{alphabet[0]}{len(alphabet)}"


def _number_of(word: str, alphabets: Sequence[str]) -> int:
    number = 0
    for sign, alphabet in zip(word, alphabets, strict=True):
        number = number * len(alphabet) + alphabet.index(sign)
    return number


def _word_of(number: int, alphabets: Sequence[str]) -> str:
    signs: list[str] = []
    for alphabet in reversed(alphabets):
        number, at = divmod(number, len(alphabet))
        signs.append(alphabet[at])
    return "".join(reversed(signs))
