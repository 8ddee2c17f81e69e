// Where a value stands in the range of its dimension, from 0 to 1, and what is written beside an axis.
import {short} from './dom.js';

const log = Math.log;

// The value at a share of a dimension's range, by its scale: 0.5 is the middle.
export function valueAt(d, part) {
  if (d.choices) return wordsOf(d)[Math.round(part * (wordsOf(d).length - 1))];
  if (d.scale === 'log') return d.lower * (d.upper / d.lower) ** part;
  const value = d.lower + part * (d.upper - d.lower);
  return d.scale === 'integer' ? Math.round(value) : value;
}

export function shareOf(d, value) {
  if (d.choices) return wordsOf(d).length > 1 ? wordsOf(d).indexOf(value) / (wordsOf(d).length - 1) : 0.5;
  return d.scale === 'log' ? log(value / d.lower) / log(d.upper / d.lower) : (value - d.lower) / (d.upper - d.lower);
}

// The words that a dimension chooses among.
export const wordsOf = d => d.choices;

// Returns about `most` round values of a dimension, or all its words.
export function ticksOf(d, most) {
  if (d.choices) return wordsOf(d).map(word => ({at: shareOf(d, word), text: word}));
  const values = [];
  if (d.scale === 'log') {
    for (let power = Math.ceil(Math.log10(d.lower) - 1e-9); power <= Math.log10(d.upper) + 1e-9; power++) values.push(10 ** power);
    if (values.length < 2) values.splice(0, values.length, d.lower, d.upper);
  } else {
    const rough = (d.upper - d.lower) / most, size = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(d.scale === 'integer' ? 1 : 0, size * [1, 2, 5, 10].find(s => s * size >= rough * (1 - 1e-9)));
    for (let i = Math.ceil(d.lower / step - 1e-9); i * step <= d.upper + 1e-9 * step; i++) values.push(i * step);
  }
  return values.map(v => ({at: shareOf(d, v), text: short(Number(v.toPrecision(12)))}));
}
