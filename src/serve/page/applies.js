// Whether a parameter with a condition applies, as in `tool == mill && layers >= 2`. The server decides; here fields are hidden.
const order = {'==': (a, b) => a === b, '!=': (a, b) => a !== b, '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b};

// Returns true or false; undefined if a value is missing, or if a side of a comparison is a formula, which only the server reads.
export function applies(dimension, dimensions, values) {
  if (!dimension.when) return true;
  const tokens = dimension.when.match(/"[^"]*"|'[^']*'|-?[\w.]+|[=!<>]=|&&|\|\||\S/g), find = token => dimensions.find(d => d.name === token);
  let at = 0;

  function compare() {
    const [left, sign, right] = tokens.slice(at, at += 3), text = right?.replace(/^["']|["']$/g, ''), a = find(left);
    if (!a || !order[sign] || !/^$|&&|\|\||\)/.test(tokens[at] ?? '')) throw new SyntaxError(dimension.when);
    const b = a.choices?.includes(text) ? null : find(right), sides = [values[left], b ? values[right] : a.choices ? text : Number(right)];
    const states = [a, b].map(d => (d ? applies(d, dimensions, values) : true));
    if (states.includes(false)) return false; // a comparison with a parameter that does not apply is false
    if (states.includes(undefined) || sides.includes(undefined) || sides.some(Number.isNaN)) return undefined;
    return order[sign](...a.choices ? sides.map(word => a.choices.indexOf(word)) : sides);
  }
  function part() {
    if (tokens[at] !== '(') return compare();
    at++;
    const held = any();
    if (tokens[at++] !== ')') throw new SyntaxError(dimension.when);
    return held;
  }
  function joined(sign, one, decisive) {
    const held = [one()];
    while (tokens[at] === sign) { at++; held.push(one()); }
    return held.includes(decisive) ? decisive : held.includes(undefined) ? undefined : !decisive;
  }
  const all = () => joined('&&', part, false), any = () => joined('||', all, true);
  try {
    return any();
  } catch {
    return undefined;
  }
}
