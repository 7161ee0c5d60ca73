"""Numbers out of lines of text, for job logs of hundreds of thousands of lines."""

from typing import Any

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

_BLANK, _TAB, _RETURN, _NEWLINE = 32, 9, 13, 10
_EXPONENT = (69, 101)
_SEMICOLON, _HASH, _PLUS, _MINUS, _DOT, _ZERO, _NINE = 59, 35, 43, 45, 46, 48, 57


@jit
def _number(text: Any, start: int, end: int) -> tuple[float, bool]:
    position, sign = start, 1.0
    if text[position] in (_MINUS, _PLUS):
        sign = -1.0 if text[position] == _MINUS else 1.0
        position += 1
    value, digits, after, dotted = 0.0, 0, 0, False
    while position < end and text[position] not in _EXPONENT:
        byte = text[position]
        if _ZERO <= byte <= _NINE:
            value = value * 10.0 + (byte - _ZERO)
            digits += 1
            after += 1 if dotted else 0
        elif byte == _DOT and not dotted:
            dotted = True
        else:
            return 0.0, False
        position += 1
    if position == end:
        # One division of two exact numbers is rounded once, as float() would do it.
        return sign * value / 10.0**after, digits > 0
    position, power, down = position + 1, 0, False
    if position < end and text[position] in (_MINUS, _PLUS):
        down = text[position] == _MINUS
        position += 1
    first = position
    while position < end and _ZERO <= text[position] <= _NINE and power < 1000:
        power = power * 10 + (text[position] - _ZERO)
        position += 1
    power = -power if down else power
    return sign * value * 10.0 ** (
        power - after
    ), digits > 0 and first < position == end


@jit
def parse_lines(
    text: Any, width: int
) -> tuple[FloatArray, IntArray, IntArray, int, int]:
    # Returns the first `width` numbers of each line, the line numbers from 1, where the
    # rest of each line starts (-1 without one), and the line and column of the first
    # thing that is no number (0, 0 if all is well). A line with too few numbers is
    # blamed on the first column that is missing.
    lines = 1
    for byte in text:
        if byte == _NEWLINE:
            lines += 1
    values = np.empty((lines, width))
    numbers = np.empty(lines, dtype=np.int64)
    rest = np.full(lines, -1, dtype=np.int64)
    row, column, line, position, size = 0, 0, 1, 0, len(text)
    while position <= size:
        byte = _NEWLINE if position == size else text[position]
        if byte in (_BLANK, _TAB, _RETURN):
            position += 1
            continue
        if byte in (_SEMICOLON, _HASH) or column == width:
            if column == width and byte not in (_SEMICOLON, _NEWLINE):
                rest[row] = position
            while position < size and text[position] != _NEWLINE:
                position += 1
            byte = _NEWLINE
        if byte == _NEWLINE:
            if 0 < column < width:
                return values[:row], numbers[:row], rest[:row], line, column + 1
            if column == width:
                numbers[row] = line
                row += 1
            column, line, position = 0, line + 1, position + 1
            continue
        start = position
        while position < size and text[position] > _BLANK:
            position += 1
        value, good = _number(text, start, position)
        if not good:
            return values[:row], numbers[:row], rest[:row], line, column + 1
        values[row, column] = value
        column += 1
    return values[:row], numbers[:row], rest[:row], 0, 0
