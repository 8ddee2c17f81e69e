# SPDX-License-Identifier: Apache-2.0
"""Dimensions and spaces: the meaning of the numbers of a problem."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union, cast

import numpy as np

from ._failures import unknown
from ._fcps import ffi, lib
from .errors import ArgumentError

Scale = Literal["linear", "log", "integer"]
SCALES: tuple[Scale, ...] = ("linear", "log", "integer")  # in the order of fcps_scale


@dataclass(frozen=True)
class Dimension:
    """One named number: its bounds, and what its values mean. Only an outcome may be without bounds. `when` is the condition
    under which a parameter applies; if it does not hold, asks and answers leave the parameter out.

    >>> Dimension(0.1, 5, unit="m/s", when="coolant != none")
    Dimension(lower=0.1, upper=5.0, period=0.0, scale='linear', unit='m/s', step=0.0, when='coolant != none')
    """

    lower: float | None = None
    upper: float | None = None
    period: float = 0.0  # the length after which values repeat; 0: they do not repeat
    scale: Scale = "linear"
    unit: str = ""
    step: float = 0.0  # values are lower + a whole number of steps; 0: there are no steps
    when: str = ""  # "tool == mill"; "": it always applies

    def __post_init__(self) -> None:
        if (self.lower is None) != (self.upper is None):
            raise ArgumentError("a dimension has both bounds or none; give (lower, upper)", field="bounds")
        if self.scale not in SCALES:
            raise unknown("scale", self.scale, SCALES, "scale")
        for name in ("lower", "upper", "period", "step"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _number(value, name))

    def at(self, share: float) -> float:
        """Returns the value at a share of the range, by the scale and the steps of the dimension: 0.5 is the middle.

        >>> round(Dimension(1, 100, scale="log").at(0.5), 9), Dimension(1, 8, scale="integer").at(0.5)
        (10.0, 5.0)
        """
        fields = {"lower": self.lower or 0.0, "upper": self.upper or 0.0, "step": self.step}
        dimension = ffi.new("fcps_dimension *", {**fields, "scale": SCALES.index(self.scale)})
        return float(lib.fcps_dimension_at(dimension, share))


def Angle(
    lower: float = 0.0, upper: float = 2 * math.pi, *, period: float | None = None, unit: str = "", when: str = ""
) -> Dimension:
    """An angle, whose values repeat. By default the bounds are the whole circle; a part of a circle needs the period.

    >>> Angle(0, 360).period, Angle(-90, 90, period=360).period
    (360.0, 360.0)
    """
    return Dimension(lower, upper, upper - lower if period is None else period, "linear", unit, when=when)


def Log(lower: float, upper: float, *, unit: str = "", when: str = "") -> Dimension:
    """A positive number on a logarithmic scale, for which factors count and not differences: a concentration, a gain.
    """
    return Dimension(lower, upper, 0.0, "log", unit, when=when)


def Integer(lower: float, upper: float, *, unit: str = "", when: str = "") -> Dimension:
    """A whole number."""
    return Dimension(lower, upper, 0.0, "integer", unit, when=when)


@dataclass(frozen=True, init=False)
class Choice(Dimension):
    """One of several words: Choice("soft", "medium", "hard"). A mapping gives the known properties of each word.

    `ordered`: the order of the words means something. `alike`: the words are of one kind and differ a little, as
    machines do.

    >>> Choice("low", "mid", "high", ordered=True)
    Choice('low', 'mid', 'high', ordered=True)
    >>> Choice("none", "mist", when="tool == mill")
    Choice('none', 'mist', when='tool == mill')
    >>> Choice({"kenya": {"acid": 5}, "brazil": {"acid": 2}}).properties["brazil"]
    {'acid': 2.0}
    """

    words: tuple[str, ...] = ()
    ordered: bool = False
    alike: bool = False
    properties: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]], hash=False)

    def __init__(
        self,
        *words: Any,
        ordered: bool = False,
        alike: bool = False,
        properties: Mapping[str, Mapping[str, float]] | None = None,
        when: str = "",
    ) -> None:
        given: list[Any] = list(words)
        if len(given) == 1 and isinstance(given[0], Mapping):
            properties, given = cast("Mapping[str, Mapping[str, float]]", given[0]), list(cast("Mapping[str, Any]", given[0]))
        elif len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = list(cast("Iterable[Any]", given[0]))
        texts = tuple(word_of(word) for word in given)
        for value in texts:
            if texts.count(value) > 1:
                raise ArgumentError(f"the word {value!r} is given twice; leave one out", field="choices")
        known = {word_of(key): {name: _number(x, name) for name, x in dict(of).items()} for key, of in (properties or {}).items()}
        for value in texts if known else ():
            if value not in known or list(known[value]) != list(known[texts[0]]):
                raise ArgumentError(f"every word needs the same properties; look at {value!r}", field="choices")
        if set(known) - set(texts):
            raise unknown("word", sorted(set(known) - set(texts))[0], texts, "choices")
        parts = {"words": texts, "ordered": bool(ordered), "alike": bool(alike), "properties": known}
        for name, value in {**parts, "lower": 0.0, "upper": max(len(texts) - 1.0, 0.0), "period": 0.0}.items():
            object.__setattr__(self, name, value)
        for name, value in {"scale": "integer", "unit": "", "step": 0.0, "when": str(when)}.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        parts = [repr(word) for word in self.words]
        parts += [f"{name}=True" for name in ("ordered", "alike") if getattr(self, name)]
        parts += [f"{name}={value!r}" for name in ("properties", "when") if (value := getattr(self, name))]
        return f"Choice({', '.join(parts)})"


def word_of(value: object) -> str:
    """The text of a word. A number becomes the word that it is written as: 2 becomes "2"."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(cast(Any, value))
        return str(int(number)) if number.is_integer() else str(number)
    return str(value)


class Names(tuple[str, ...]):
    """The names of dimensions, with the words of those that choose among words, and the names that have a condition."""

    words: Mapping[str, tuple[str, ...]]
    conditional: frozenset[str]

    def __new__(
        cls,
        names: Iterable[str] = (),
        words: Mapping[str, tuple[str, ...]] | None = None,
        conditional: Iterable[str] = (),
    ) -> Names:
        made = super().__new__(cls, names)
        made.words = words or {}
        made.conditional = frozenset(conditional)
        return made

    def __add__(self, other: tuple[Any, ...]) -> Names:  # type: ignore[override]
        words = {**self.words, **getattr(other, "words", {})}
        return Names((*self, *other), words, self.conditional | getattr(other, "conditional", frozenset()))


DimensionLike = Union[Dimension, tuple[float, float], "list[float]", "list[str]", tuple[str, ...], None]
SpaceLike = Union["Space", Mapping[str, DimensionLike], Iterable[str], None]


class Space(Mapping[str, Dimension]):
    """An ordered list of named dimensions."""

    __slots__ = ("_dimensions", "index", "name", "names")

    def __init__(self, name: str, dimensions: SpaceLike = None) -> None:
        self.name = name
        self._dimensions = dict(_dimensions(name, dimensions))
        for key, dimension in self._dimensions.items():
            if dimension.lower is None and name != "outcome":
                raise ArgumentError("it has no bounds; give (lower, upper)", field=f"{name}.{key}")
        words = {key: dim.words for key, dim in self._dimensions.items() if isinstance(dim, Choice)}
        if words and name == "outcome":
            raise ArgumentError("an outcome is a number, not a word", field=f"{name}.{next(iter(words))}")
        self.names = Names(self._dimensions, words, (key for key, dim in self._dimensions.items() if dim.when))
        self.index = {key: i for i, key in enumerate(self.names)}

    def __getitem__(self, name: str) -> Dimension:
        try:
            return self._dimensions[name]
        except KeyError:
            raise unknown(f"dimension of {self.name}", name, self.names) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._dimensions)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Space({self.name!r}, {self._dimensions!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Space, (self.name, self._dimensions)


def _dimensions(space: str, given: SpaceLike) -> Iterator[tuple[str, Dimension]]:
    if given is None:
        return
    if isinstance(given, str):
        raise ArgumentError(f"give a list or a mapping of names, not the text {given!r}", field=space)
    if not isinstance(given, Iterable):  # type: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f"give a list or a mapping of names, not {given!r}", field=space)
    if not isinstance(given, Mapping):
        names = list(given)
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"'{name}' is given twice; give each dimension its own name", field=space)
            yield _name(space, name), Dimension()
        return
    for name, value in cast(Mapping[str, Any], given).items():
        if isinstance(value, Dimension):
            yield _name(space, name), value
        elif value is None:
            yield _name(space, name), Dimension()
        else:
            if isinstance(value, (list, tuple)) and _are_choices(list(cast("Iterable[Any]", value))):
                yield _name(space, name), Choice(*cast("Iterable[Any]", value))
                continue
            if isinstance(value, (set, frozenset)) and _are_choices(list(cast("Iterable[Any]", value))):
                raise ArgumentError("a set has no order; give the words as a list", field=f"{space}.{_name(space, name)}")
            try:
                lower, upper = cast(Iterable[Any], value)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"expected (lower, upper), words or a Dimension, not {value!r}", field=f"{space}.{name}"
                ) from None
            key = _name(space, name)
            try:
                dimension = Dimension(lower, upper)
            except ArgumentError as error:  # the error does not have the name yet
                raise ArgumentError(error.message, field=f"{space}.{key}") from None
            yield key, dimension


def _are_choices(values: list[Any]) -> bool:
    """Whether these are words. Texts that are numbers are another mistake."""
    return bool(values) and all(isinstance(one, str) and not _NUMBER.fullmatch(one) for one in values)


_NUMBER = re.compile(r"\s*[-+]?[\d.]+(?:[eE][-+]?\d+)?\s*")


def _name(space: str, name: object) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"names are texts, not {name!r}", field=space)
    return name


def _number(value: object, field: str) -> float:
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"expected a number, not the text {value!r}", field=field)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ArgumentError(f"expected a number, not {value!r}", field=field) from None
