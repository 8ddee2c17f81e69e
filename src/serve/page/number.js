// Numbers as people type them, with a point or a comma before the decimals. A text that could mean two numbers is refused.

const decimal = /^[+-]?(\d+|\d*[.,]\d+)(e[+-]?\d+)?$/i;
const maybeThousands = /^[+-]?[1-9]\d{0,2},\d{3}(e|$)/i; // "1,234"
const grouped = /^[+-]?\d+([.,'’_\s]+\d+)+$/;            // "1.234,5", "1 234"

// "58.4 mm" without its unit. A unit that begins like a number, such as 1/min, must stand apart from it.
function withoutUnit(text, unit) {
  if (!unit || !text.endsWith(unit) || decimal.test(text)) return text;
  const rest = text.slice(0, -unit.length), number = rest.trimEnd();
  return number === rest && /^[\d.,+-]/.test(unit) ? text : number;
}

// Reads what was typed for a dimension {name, unit}: {value}, {error} in words, or {} if nothing was typed.
export function readNumber(typed, {unit} = {}) {
  const whole = typed.trim().replace(/^[\u2212\u2013]/, '-').replace(/(e)[\u2212\u2013]/i, '$1-'); // keyboards of phones have another minus and a dash
  if (whole === '') return {};
  const text = withoutUnit(whole, unit), shown = `“${typed.trim()}”`;
  if (maybeThousands.test(text))
    return {error: `${shown} can mean ${text.replace(',', '.')} or ${text.replace(',', '')}: write one of them, without a comma`};
  if (decimal.test(text)) {
    const value = Number(text.replace(',', '.'));
    return Number.isFinite(value) ? {value: value || 0} : {error: `${shown} is too large`};
  }
  if (grouped.test(text))
    return {error: `${shown} has more than one mark or blank: write the digits together, and one point or comma before the decimals`};
  return {error: `${shown} is not understood: write a number ${unit ? `in ${unit}` : 'alone'}`};
}
