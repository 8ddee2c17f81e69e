// Makes elements. Texts become text nodes and never markup, so a name of a study, unit or client does no harm.

// Characters that reverse the direction of a text could make it look like another text. They are shown as numbers.
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

// A number for people, as fcps_number_show writes it: four digits, or more if they stand before the point. A word stays as it is.
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

export const isNumber = value => typeof value === 'number';

// "3.5 m"
export function amount(value, {unit} = {}) {
  return `${short(value)}${unit && isNumber(value) ? ' ' + unit : ''}`;
}

// "x 3, y 4 m"
export function numbers(values, dimensions) {
  if (!values || !dimensions.length) return '–';
  return dimensions.filter(d => !d.when || d.name in values).map(d => `${d.name} ${amount(values[d.name], d)}`).join(', ');
}

// "-0.45 ± 0.04"
export const within = (value, deviation) => (isNumber(deviation) ? `${short(value)} ± ${short(Number(deviation.toPrecision(2)))}` : short(value));

export function label(dimension) {
  return dimension.unit ? `${dimension.name} (${dimension.unit})` : dimension.name;
}

// The time of a stored thing: the same digits in every language of a browser.
export function time(ms) {
  const t = new Date(ms), two = n => String(n).padStart(2, '0');
  return `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} ${two(t.getHours())}:${two(t.getMinutes())}`;
}

// A list of names with what belongs to each; a row without a value is left out.
export function facts(rows) {
  return element('dl', {}, ...rows.filter(row => row && row[1] !== null && row[1] !== undefined)
    .flatMap(([name, value, kind]) => [element('dt', {}, name), element('dd', {class: kind ?? ''}, ...[value].flat())]));
}

export function select(text, value, options, set) {
  const node = element('select', {onchange: () => set(node.value)}, ...options.map(([v, t]) => element('option', {value: v, selected: v === value}, t)));
  return element('label', {}, text, node);
}

export function button(text, onclick, attributes = {}) {
  return element('button', {type: 'button', onclick, ...attributes}, text);
}

// A table with a head and rows, in a box that scrolls if it is too narrow.
export function table(name, columns, rows) {
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name}, element('table', {},
    element('thead', {}, element('tr', {}, ...columns.map(c => element('th', {scope: 'col'}, c)))),
    element('tbody', {}, ...rows.map(cells => element('tr', {}, ...cells.map((c, i) => element(i ? 'td' : 'th', i ? {} : {scope: 'row'}, c)))))));
}

// Calls back with whether a part of the page can be seen. For a part that nobody sees, the model need not be asked.
export function whenSeen(node, callback) {
  new IntersectionObserver(entries => callback(entries.at(-1).isIntersecting), {rootMargin: '100px'}).observe(node);
}

// Shows a message beside the page, with buttons for what can be done about it. It disappears by itself, or when it is closed.
export function say(text, isBad = false, buttons = []) {
  const message = element('div', {class: isBad ? 'message bad' : 'message'}, element('p', {}, text), ...buttons, button('Close', () => message.remove()));
  for (const b of buttons) b.addEventListener('click', () => message.remove());
  const messages = document.getElementById('messages');
  if (messages.children.length >= 3) messages.firstChild.remove();
  messages.append(message);
  setTimeout(() => message.remove(), isBad ? 20000 : 5000);
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}
