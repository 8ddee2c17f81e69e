// Elements. Texts go in as text nodes and nowhere as markup: whatever somebody called a study, a unit or a client stays a text.

// Characters that turn the direction of a text around could make it look like another one: they are shown by their numbers.
export function visible(text) {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, c => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

// A text that nobody reads to its end, such as a whole log, would make the page slow.
export function brief(text, most = 400) {
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters; the table as CSV has all)` : text;
}

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, typeof value === 'string' && key !== 'href' && key !== 'value' ? visible(value) : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined).map(child => child instanceof Node ? child : visible(String(child))));
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren(...children.filter(child => child !== null && child !== undefined).map(child => child instanceof Node ? child : visible(String(child))));
}

// A number for people, as fcps_number_show writes it: four digits, and all that stand before the point.
export function short(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  const size = Math.abs(value);
  if (!(size >= 1e-4 && size < 1e9)) return String(Number(value.toPrecision(4)));
  return String(Number(value.toFixed(Math.max(3 - Math.floor(Math.log10(size)), 0))));
}

// "1 result", "2 results"
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

// "x 3, y 4 m"
export function numbers(values, dimensions) {
  if (!values || !dimensions.length) return '–';
  return dimensions.map(d => `${d.name} ${short(values[d.name])}${d.unit ? ' ' + d.unit : ''}`).join(', ');
}

export function label(dimension) {
  return dimension.unit ? `${dimension.name} (${dimension.unit})` : dimension.name;
}

// The value at a share of a dimension's range, by its scale: 0.5 is the middle.
export function valueAt(d, part) {
  if (d.scale === 'log') return d.lower * (d.upper / d.lower) ** part;
  const value = d.lower + part * (d.upper - d.lower);
  return d.scale === 'integer' ? Math.round(value) : value;
}

export function say(text, isBad = false) {
  const message = element('p', {class: isBad ? 'bad' : ''}, text);
  document.getElementById('messages').append(message);
  setTimeout(() => message.remove(), isBad ? 12000 : 5000);
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}
