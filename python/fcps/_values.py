# SPDX-License-Identifier: Apache-2.0
"""Numbers by name: one row (`Values`), rows during a call of the user's function (`Batch`), and tables (`Table`)."""

from __future__ import annotations

import dataclasses
import html
from math import nan
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, Union, cast

import numpy as np
from numpy.typing import NDArray

from ._dimensions import Names, Space, word_of
from ._failures import unknown
from ._fcps import ffi
from .errors import ArgumentError, Error, UnavailableError

Array = NDArray[np.float64]


class Labelled(Protocol):
    """A row with labels, such as a pandas.Series or a sqlite3.Row."""

    def keys(self) -> Any: ...


class FrameLike(Protocol):
    """A data frame; if a row is expected it has one."""

    @property
    def columns(self) -> Any: ...


Frame = TypeVar("Frame", bound=FrameLike)


class DataclassLike(Protocol):
    """An instance of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


RowLike = Union[
    Mapping[str, Any], Sequence[float], NDArray[Any], np.void, Labelled, FrameLike, DataclassLike
]  # values with names are read by their names


def words_of(names: Any) -> Mapping[str, tuple[str, ...]]:
    """The words of those of these names that choose among words."""
    return getattr(names, "words", {})


def shown(names: Any, name: str, number: float) -> Any:
    """Shows a number of the library: as a word, if it is the place of one."""
    words = words_of(names).get(name)
    return number if words is None or number != number else words[int(number)]


def column_of(names: Any, name: str, numbers: Any) -> NDArray[Any]:
    """Makes a column from the library's numbers: words if the dimension chooses among them, with None for missing ones.
    """
    words = words_of(names).get(name)
    if words is None:
        return np.array(numbers, np.float64)
    return np.array([None if x != x else words[int(x)] for x in numbers], object)


def applying(names: tuple[str, ...], is_missing: Iterable[bool]) -> tuple[str, ...]:
    """The names without those of parameters that do not apply."""
    conditional: frozenset[str] = getattr(names, "conditional", frozenset())
    if not conditional:
        return names
    return Names((one for one, lacks in zip(names, is_missing) if not (lacks and one in conditional)), words_of(names))


def values_of(names: tuple[str, ...], numbers: Sequence[float]) -> Values:
    """Numbers by name; of a parameter with a condition NaN says that it does not apply."""
    there = applying(names, [x != x for x in numbers])
    return Values(there, tuple(x for name, x in zip(names, numbers) if there is names or name in there))


class Values(Mapping[str, float]):
    """Numbers by name, in the order of their space; `numpy.asarray` makes them an array. The value of a `Choice` is its word.

    >>> speed = Values(("turn", "speed"), (90.0, 4.5))
    >>> speed["speed"], np.asarray(speed).tolist()
    (4.5, [90.0, 4.5])
    """

    __slots__ = ("_names", "_numbers")

    def __init__(self, names: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        self._names = names
        self._numbers = numbers

    def __getitem__(self, name: str) -> float:
        try:
            return cast(float, shown(self._names, name, self._numbers[self._names.index(name)]))
        except ValueError:
            raise unknown("value", name, self._names) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        pairs = ((name, shown(self._names, name, number)) for name, number in zip(self._names, self._numbers))
        return "{" + ", ".join(f"{name}: {x if isinstance(x, str) else f'{x:.6g}'}" for name, x in pairs) + "}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if words_of(self._names):
            return np.array(list(self.values()), dtype or object)
        return np.array(self._numbers, dtype or np.float64)

    def __reduce__(self) -> tuple[Any, ...]:
        return Values, (self._names, self._numbers)

    def _row(self, names: Sequence[str]) -> list[float] | None:
        """The numbers, if they have exactly these names in this order."""
        is_same = self._names == names and words_of(self._names) == words_of(names)
        return list(self._numbers) if is_same else None


class Goal(dict[str, float]):
    """The target that a function of the problem receives: numbers by name."""

    def __missing__(self, name: str) -> float:
        raise unknown("dimension of target", name, self)


class Batch(Mapping[str, Array]):
    """A batch of rows that a function of the problem receives: for each name an array with a number for each row.

    The arrays belong to the function, which may keep and change them. The batch itself can be read only during the
    call. In rows without an outcome the outcome is NaN; `present` says which rows have one.
    """

    __slots__ = ("_columns", "_memory", "_numbers", "_present", "_rows_absent", "_space", "rows")

    def __init__(self, space: Space, rows: int, memory: Any, present: Any = None) -> None:
        self._space = space
        self.rows = rows
        self._memory = memory
        self._present = present
        self._columns: dict[str, Array] = {}
        self._numbers: Array | None = None  # the library's memory, row after row; None until a column is read
        self._rows_absent: NDArray[np.bool_] | None = None

    def __getitem__(self, name: str) -> Array:
        columns = self._columns
        if name in columns:
            return columns[name]
        index = self._space.index.get(name)
        if index is None:
            if name == "present" and self._present is not None:
                return np.asarray(self.present, np.float64)
            raise unknown(f"dimension of {self._space.name}", name, self._space.names)
        numbers = self._numbers
        if numbers is None:
            numbers = self._numbers = self._read()
            self._rows_absent = self._absent()
        column = columns[name] = column_of(self._space.names, name, numbers[index :: len(self._space.names)])
        if self._rows_absent is not None:
            column[self._rows_absent] = np.nan
        return column

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which rows have an outcome."""
        if self._present is None:
            return np.ones(self.rows, bool)
        self._read()
        return np.frombuffer(ffi.buffer(self._present, self.rows), bool).copy()

    def _absent(self) -> NDArray[np.bool_] | None:
        if self._present is None or b"\0" not in ffi.buffer(self._present, self.rows)[:]:
            return None
        return ~self.present

    def _read(self) -> Array:
        """Reads the library's memory, row after row."""
        if self._memory is None:
            raise ArgumentError(
                "a batch can be read only during the call that it was given to; keep its arrays instead"
            )
        size = self.rows * len(self._space.names)
        return np.frombuffer(ffi.buffer(self._memory, 8 * size)) if size else np.empty(0)

    def _end(self) -> None:
        """Ends the batch after the call: the memory belongs to the library again."""
        self._memory = self._numbers = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._space.names)

    def __len__(self) -> int:
        return len(self._space.names)

    def __repr__(self) -> str:
        return f"Batch({', '.join(self._space.names)}; {self.rows} rows)"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if words_of(self._space.names):
            return np.array([self[name] for name in self._space.names], dtype or object).T
        whole = np.array(self._read().reshape(self.rows, len(self._space.names)), dtype or np.float64)
        absent = self._absent()
        if absent is not None:
            whole[absent] = np.nan
        return whole


class Table(dict[str, NDArray[Any]]):
    """Columns by name, all of one length: a dict of arrays, which pandas and polars take as it is.

    >>> table = Table(x=np.array([1.0, 2.0]), reward=np.array([-1.0, -0.5]))
    >>> len(table["x"]), table.rows
    (2, 2)

    Beside dimensions a table has other columns, such as `reward`. If a dimension has that name, too, the other column
    has an underscore after it (`time_`); `known("time")` finds it by either name.
    """

    def __init__(self, *columns: Any, **named: Any) -> None:
        super().__init__(*columns, **named)
        self._own: dict[str, str] = {}
        self._words: dict[str, tuple[str, ...]] = {}

    def _add(self, names: Any, numbers: Any) -> None:
        """Adds a column of the library's numbers for each name, in the order of the names."""
        for i, name in enumerate(names):
            self[name] = column_of(names, name, numbers[:, i])
        self._words.update(words_of(names))

    def _say(self, name: str, column: NDArray[Any], dimensions: Iterable[str]) -> None:
        """Adds a column that is not a dimension; its name must differ from those of dimensions."""
        own, taken = name, list(dimensions)
        while own in taken:
            own += "_"
        self._own[name] = own
        self[own] = column

    def known(self, name: str) -> NDArray[Any]:
        """Returns a column that is not a dimension, such as `reward` or `time`."""
        return self[self.own(name)]

    def own(self, name: str) -> str:
        """Returns the name of such a column in this table."""
        return self._own.get(name, name)

    def where(self, rows: Any) -> Table:
        """Returns some of the rows."""
        chosen = Table({name: column[rows] for name, column in self.items()})
        chosen._own, chosen._words = dict(self._own), dict(self._words)
        return chosen

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.values()))) if self else 0

    def to_pandas(self) -> Any:
        """Makes a pandas.DataFrame, as in `study.rollouts().to_pandas()["reward"].plot()`; pandas must be installed.
        Words are categories.
        """
        pandas = _imported("pandas")
        words = {name: pandas.Categorical(self[name], categories=of) for name, of in self._words.items() if name in self}
        return pandas.DataFrame({**self, **words})

    def to_polars(self) -> Any:
        """Makes a polars.DataFrame; polars must be installed."""
        return _imported("polars").DataFrame(dict(self))

    def __repr__(self) -> str:
        return f"Table({self.rows} rows: {', '.join(self)})"

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Writes the first rows as an HTML table."""
        most = 20
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        rows = (
            "<tr>" + "".join(f"<td>{html.escape(_short(column[i]))}</td>" for column in self.values()) + "</tr>"
            for i in range(min(self.rows, most))
        )
        more = f"<p>{self.rows - most} more rows</p>" if self.rows > most else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _imported(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise UnavailableError(f"{name} is not installed; pip install {name}", field=name) from None


# keywords of ask and tell beside dimensions: a dimension with such a name is given by a mapping
ARGUMENTS = frozenset(
    "client deviation environment failed hindsight_reward key message parameters reward status target".split()
)


def one_row(what: str, names: Sequence[str], given: RowLike | None, keywords: Mapping[str, Any]) -> list[float]:
    """Reads numbers in the order of `names`: given by keyword, as a value with names (see `by_names`) or as an array;
    `what` is for errors.
    """
    if type(given) is Values and not keywords and (numbers := given._row(names)) is not None:
        return numbers
    if type(given) not in _PLAIN:
        given = _only_row(what, given)
    if given is not None and keywords:
        raise ArgumentError(f"give the {what} once: by keywords, or as one argument", field=what)
    if given is None:
        given = keywords
    words = words_of(names)
    if not words and isinstance(given, (tuple, list)) and len(given) == len(names) and all(isinstance(number, float) for number in given):
        return [float(number) for number in given]  # also floats of NumPy
    if isinstance(given, Mapping):
        return _by_name(what, names, cast(Mapping[str, Any], given))
    if isinstance(given, (str, bytes)):
        raise ArgumentError(f"expected numbers by name or an array, not the text {given!r}", field=what)
    if isinstance(given, (tuple, list)) or (isinstance(given, np.ma.MaskedArray) and given.ndim == 1):
        for name, one in zip(names, cast(Iterable[Any], given)):
            _check_unmasked(name, one)
    if words and len(given := list(cast(Any, given))) == len(names):  # type: ignore[arg-type]
        return [one_number(name, value, words.get(name)) for name, value in zip(names, given)]
    array = _floats(what, given)
    if array.shape != (len(names),):
        raise ArgumentError(
            f"expected {len(names)} numbers ({', '.join(names) or 'none'}), not an array of shape {array.shape}; "
            "give them in this order, or by name",
            field=what,
        )
    return array.tolist()


# types that need no conversion come first, because rows are read at each ask
_PLAIN = frozenset((dict, Values, list, tuple, type(None)))


def by_names(what: str, given: Any) -> Any:
    """Makes a mapping of a value that has names for its numbers: a pandas.Series with text labels, a named tuple, a
    record of NumPy, an instance of a dataclass, a row of a database. A value without names is returned as it is.
    """
    names: Any
    one: Any = given
    if isinstance(given, (np.ndarray, np.void)):
        names = one.dtype.names
        return one if names is None else {name: one[name] for name in names}
    if isinstance(given, (Mapping, str, bytes)):
        return one
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return {field.name: getattr(one, field.name) for field in dataclasses.fields(given)}
    names = getattr(one, "_fields", None)
    if isinstance(names, (tuple, list)) and isinstance(given, Sequence):
        return dict(zip(cast(Sequence[str], names), one, strict=True))
    labels: list[Any] = list(one.keys()) if callable(getattr(one, "keys", None)) else []
    if any(isinstance(label, (str, tuple)) for label in labels):  # numbers as labels only count the rows
        _check_distinct(what, labels)
        return {label: one[label] for label in labels}
    return one


def is_record_array(given: Any) -> bool:
    """Whether this is a NumPy array whose rows have names."""
    return isinstance(given, np.ndarray) and cast(NDArray[Any], given).dtype.names is not None


def _only_row(what: str, given: Any) -> Any:
    """Does the same for a value that must be one row: a data frame or an array of records is allowed if it has only
    one.
    """
    if is_record_array(given):
        _check_single(what, given.size)
        return by_names(what, given.reshape(1)[0])
    if not isinstance(given, Mapping) and _is_frame(given):
        _check_distinct(what, list(given.columns))
        _check_single(what, len(given))
        return {name: np.asarray(given[name])[0] for name in given.columns}
    return by_names(what, cast(Any, given))


def _check_distinct(what: str, names: list[Any]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"'{name}' is given twice; give each number of the {what} once", field=str(name))


def _check_single(what: str, rows: int) -> None:
    if rows != 1:
        raise ArgumentError(f"expected one row, not {rows}; give each {what} on its own", field=what)


def some_by_name(what: str, names: Sequence[str], given: Any, keywords: Mapping[str, Any]) -> dict[str, float]:
    """Reads numbers for some of `names`. They must be given by name, because nothing else says which of them are meant.
    """
    found: Any = _only_row(what, {} if given is None else given)
    if not isinstance(found, Mapping):
        raise ArgumentError(f"only some numbers of the {what} may be given here, so give them by name: {{'NAME': 1.0}}", field=what)
    whole: dict[str, Any] = {**found, **keywords}
    stranger = next((name for name in whole if name not in names), None)
    if stranger is not None:
        raise unknown(f"dimension of the {what}", stranger, names)
    return dict(zip(whole, _by_name(what, Names(whole, words_of(names)), whole)))


def _told(value: Any) -> str:
    """Describes a given value in a few words."""
    if value is None:
        return "None"
    words = repr(value)
    return f"{type(value).__name__} {words}" if len(words) <= 60 and "\n" not in words else type(value).__name__


def _by_name(what: str, names: Sequence[str], given: Mapping[str, Any]) -> list[float]:
    numbers: list[float] = []
    for name in names:
        try:
            value = given[name]
        except KeyError:
            stranger = next((other for other in given if other not in names), None)
            if stranger is not None:
                raise unknown(f"dimension of the {what}", stranger, names) from None
            if name in getattr(names, "conditional", ()):
                numbers.append(nan)  # it does not apply, or the library says that it does
                continue
            remedy = (
                f"'{name}' is also an argument of this call, so give the {what} as a mapping: {{'{name}': 1.0, ...}}"
                if name in ARGUMENTS
                else f"give one for each of: {', '.join(names)}"
            )
            raise ArgumentError(f"the {what} has no value for '{name}'; {remedy}", field=name) from None
        if value is None and name in getattr(names, "conditional", ()):
            value, words = nan, None  # as a table says that it does not apply
        else:
            words = words_of(names).get(name)
        numbers.append(one_number(name, value, words))
    if len(given) > len(names):
        stranger = next(other for other in given if other not in names)
        raise unknown(f"dimension of the {what}", stranger, names)
    return numbers


def one_number(name: str, value: Any, words: tuple[str, ...] | None = None) -> float:
    """Reads a number that was given under this name; a word becomes its place."""
    if words is not None:
        return _place_of(name, value, words)
    if isinstance(value, (str, bytes)):
        raise ArgumentError(f"expected a number, not the text {value!r}", field=name)
    _check_unmasked(name, value)
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(_TOO_LARGE, field=name) from None
    except (TypeError, ValueError):
        raise ArgumentError(f"expected a number, not {_told(value)}; give one number for '{name}'", field=name) from None


def _place_of(name: str, value: Any, words: tuple[str, ...]) -> float:
    word = word_of(value)
    if word not in words:
        raise unknown(f"word of {name}", word, words, name)
    return float(words.index(word))


_TOO_LARGE = "the whole number is too large for a float; give a smaller one"


def _check_unmasked(name: str, given: Any) -> None:
    """Refuses masked numbers: the number under a mask is arbitrary, and was not measured."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(cast(Any, given)):
        raise ArgumentError(f"'{name}' is masked: it has no number; leave it out, or fill it, as in array.filled(0.0)", field=name)


def many_rows(what: str, names: Sequence[str], given: Any) -> Array:
    """Reads a row for each context, from a mapping or data frame, a list of rows with names, or an array of rows."""
    if not hasattr(given, "__len__") and hasattr(given, "collect"):
        raise ArgumentError("a lazy frame has no rows yet; give frame.collect()", field=what)
    if _is_frame(given):
        _check_distinct(what, [column for column in given.columns if column in names])
        missing = [name for name in names if name not in list(given.columns)]
        if missing:
            raise unknown("column", missing[0], [str(column) for column in given.columns])
        columns: list[Any] = [given[name] for name in names]
        return (
            np.column_stack([_codes(names, name, column) for name, column in zip(names, columns)])
            if names
            else np.empty((len(given), 0))
        )
    given = by_names(what, given)
    if isinstance(given, Mapping):
        return _columns(what, names, given)  # type: ignore[arg-type]
    if isinstance(given, Iterable) and not isinstance(given, np.ndarray):
        given = list(given)  # type: ignore[arg-type]
        if any(isinstance(by_names(what, row), Mapping) for row in given):  # type: ignore[arg-type]
            return np.array([one_row(what, names, row, {}) for row in given])  # type: ignore[arg-type]
    if words_of(names):
        rows = [one_row(what, names, list(row), {}) for row in cast("Iterable[Any]", given)]
        return np.array(rows, np.float64).reshape(len(rows), len(names))
    array = _floats(what, given)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ArgumentError(
            f"expected an array of shape (rows, {len(names)}), with the columns {', '.join(names)}, not {array.shape}",
            field=what,
        )
    return np.ascontiguousarray(array)


def _columns(what: str, names: Sequence[str], given: Mapping[str, Any]) -> Array:
    for name in given:
        if name not in names:
            raise unknown(f"dimension of the {what}", name, names)
    columns: list[Array] = []
    for name in names:
        if name not in given:
            raise ArgumentError(
                f"the {what} has no column '{name}'; give one for each of: {', '.join(names)}", field=name
            )
        columns.append(_codes(names, name, given[name]))
    try:
        wide: list[Array] = list(np.broadcast_arrays(*(np.atleast_1d(column) for column in columns))) if columns else []
    except ValueError:
        lengths = ", ".join(f"{name}: {len(np.atleast_1d(column))}" for name, column in zip(names, columns))
        raise ArgumentError(
            f"columns of the {what} differ in length ({lengths}); give columns of one length, or single numbers",
            field=what,
        ) from None
    if any(column.ndim != 1 for column in wide):
        raise ArgumentError(f"each column of the {what} must be a one-dimensional array", field=what)
    return np.column_stack(wide) if columns else np.empty((0, 0))


def _codes(names: Any, name: str, column: Any) -> Array:
    """Reads a column as numbers; words become their places."""
    words = words_of(names).get(name)
    if words is None:
        return _floats(name, column)
    given = np.asarray(column, object)
    places = [_place_of(name, value, words) for value in given.ravel()]
    return np.array(places, np.float64).reshape(given.shape)


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns") and hasattr(given, "__getitem__")


def same_kind(given: Any, table: Table, answers: Sequence[str]) -> Any:
    """Returns the table; for a data frame, one of the same kind with all its columns and its index, followed by the
    columns of the answer.
    """
    if not _is_frame(given):
        return table
    carried = [name for name in given.columns if name not in answers]
    if hasattr(given, "index"):
        frame = given[carried].copy()
        for name in answers:
            frame[name] = table[name]
        return frame
    return type(given)({name: given[name] for name in carried} | {name: table[name] for name in answers})


def replaced_columns(given: Any, answers: Sequence[str]) -> list[str]:
    """Lists the columns of a data frame that columns of the answer replace. If the data frame has all of them, it is an
    earlier answer, and the list is empty.
    """
    there = [name for name in answers if _is_frame(given) and name in list(given.columns)]
    return there if len(there) < len(answers) else []


def _floats(what: str, given: Any) -> Array:
    _check_unmasked(what, given)
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "fiub" and not (array.dtype.kind == "O" and array.size):
            raise TypeError
        if array.dtype.kind == "O" and any(isinstance(one, (str, bytes)) for one in array.flat):
            raise ArgumentError("expected numbers, not texts; make them numbers, as in column.astype(float)", field=what)
        return np.asarray(array, np.float64)
    except OverflowError:
        raise ArgumentError(_TOO_LARGE, field=what) from None
    except (TypeError, ValueError) as error:
        if isinstance(error, Error):
            raise
        raise ArgumentError(
            f"expected numbers, not {type(given).__name__} that cannot be made into them", field=what
        ) from None


def write_answer(answer: Any, rows: int, memory: Any, who: str) -> None:
    """Writes the result of a function for its rows to the library's memory. Its shape must be right: nothing is
    broadcast.
    """
    array: Any = answer if type(answer) is np.ndarray and answer.dtype == _FLOAT else _numbers_of(answer, rows, who)
    if array.shape != (rows,):
        raise ArgumentError(f"{_wanted(rows, who)}, not {array.shape}", field=who)
    ffi.memmove(memory, np.ascontiguousarray(array), 8 * rows)


_FLOAT = np.dtype(np.float64)


def _wanted(rows: int, who: str) -> str:
    return f"the {who} function must return one number for each of its {rows} rows, an array of shape ({rows},)"


def _numbers_of(answer: Any, rows: int, who: str) -> Array:
    """Reads a function's result as numbers; refuses values that would become other numbers, or NaN."""
    if answer is None:
        raise ArgumentError(f"{_wanted(rows, who)}, not None; is a `return` missing?", field=who)
    if np.ma.isMaskedArray(answer) and np.ma.is_masked(answer):
        raise ArgumentError(
            f"the {who} function returned an array with masked numbers; fill them with values, as in answer.filled(-10.0)",
            field=who,
        )
    try:
        array = np.asarray(answer)
        if array.dtype.kind == "O" and any(one is None for one in array.flat):
            raise ArgumentError(
                f"the {who} function returned None for some rows; return a number for each, NaN if there is none",
                field=who,
            )
        if array.dtype.kind not in "fiubO":
            raise TypeError
        return np.asarray(array, np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, Error):
            raise
        raise ArgumentError(f"{_wanted(rows, who)}, not {_told(answer)}", field=who) from None
