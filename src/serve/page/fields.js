// Fields for numbers and words, and a line below them that shows how they were read, before anything is sent.
import {amount, element, isNumber, label, replace} from './dom.js';
import {applies} from './applies.js';
import {readNumber} from './number.js';
import {valueAt, wordsOf} from './scale.js';

// One field of {name, dimension, value}: a list of words, or a text that is read as a number.
function inputOf({name, dimension, value, isOptional}, oninput) {
  if (dimension.choices) return element('select', {name, oninput, title: dimension.when}, isOptional || dimension.when ? element('option', {value: ''}, '–') : null, ...wordsOf(dimension).map(word => element('option', {value: word, selected: word === value}, word)));
  return element('input', {name, title: dimension.when, type: 'text', autocomplete: 'off', spellcheck: 'false', value,
    inputmode: dimension.lower >= 0 ? 'decimal' : 'text', oninput}); // an iPhone's keys for decimals have no minus
}

// Fields from [{name, dimension, value, isOptional}]. `doubt` returns what looks wrong about a dimension's value, if anything does.
// `rest` has the dimensions without a field, and the values that are not typed. A field that does not apply is hidden, and its
// value is not taken.
export function fieldsOf(wanted, words, doubt = () => null, rest = {dimensions: [], values: {}}) {
  const shown = element('output', {'aria-live': 'polite'}), doubts = element('p', {class: 'mark', 'aria-live': 'polite'});
  const fields = wanted.map(field => {
    const input = inputOf(field, () => read());
    return {...field, input, box: element('label', {}, label(field.dimension), input)};
  });
  const dimensions = [...fields.map(f => f.dimension), ...rest.dimensions];

  function read() {
    const all = fields.map(field => ({...field, value: undefined, ...(field.dimension.choices ? {value: field.input.value || undefined} : readNumber(field.input.value, field.dimension))}));
    const given = {...rest.values, ...Object.fromEntries(all.filter(t => t.value !== undefined).map(t => [t.dimension.name, t.value]))};
    const typed = all.map(t => ({...t, state: applies(t.dimension, dimensions, given)})).filter(t => t.state !== false);
    for (const {name, box} of fields) box.hidden = !typed.some(t => t.name === name);
    const wrong = typed.filter(t => t.error), known = typed.filter(t => t.value !== undefined), missing = typed.filter(t => !t.error && t.value === undefined && !t.isOptional && t.state);
    for (const {input, error} of typed) input.setAttribute('aria-invalid', String(error !== undefined));
    shown.className = wrong.length ? 'bad' : 'soft';
    replace(shown, wrong.length ? wrong.map(t => `${t.dimension.name}: ${t.error}`).join('; ')
      : known.length && missing.length ? `still missing: ${missing.map(t => t.dimension.name).join(', ')}`
      : known.length ? `${words}: ${known.map(t => `${t.dimension.name} ${t.value}${t.dimension.unit ? ' ' + t.dimension.unit : ''}`).join(', ')}` : null);
    replace(doubts, ...known.map(t => doubt(t.dimension, t.value)).filter(text => text).map(text => element('span', {}, text + ' ')));
    return {wrong, values: Object.fromEntries(known.map(t => [t.name, t.value]))};
  }

  read();
  return {
    nodes: [...fields.map(({box}) => box), shown, doubts],
    take() { // returns the values by name; null if one is wrong
      const {wrong, values} = read();
      if (wrong.length) wrong[0].input.focus();
      return wrong.length ? null : values;
    },
    set(values) {
      for (const {name, input} of fields) if (name in values) input.value = values[name];
      read();
    },
  };
}

// The values of the dimensions, whose fields have the names prefix + name; null if a value that always applies is missing.
export function pick(values, dimensions, prefix) {
  const given = dimensions.filter(d => prefix + d.name in values);
  return dimensions.every(d => d.when || given.includes(d)) ? Object.fromEntries(given.map(d => [d.name, values[prefix + d.name]])) : null;
}

export const fieldsFor = (prefix, dimensions, more = () => ({})) => dimensions.map(d => ({name: prefix + d.name, dimension: d, ...more(d)}));

const middle = d => (d.choices ? valueAt(d, 0) : d.lower !== undefined ? Number(valueAt(d, 0.5).toPrecision(4)) : 0);
export const middleOf = dimensions => Object.fromEntries(dimensions.map(d => [d.name, middle(d)]));

// The fields of a context, in the middle of the ranges.
export function contextFields({target, environment}, words) {
  const fields = fieldsOf([...fieldsFor('target.', target, d => ({value: middle(d)})), ...fieldsFor('environment.', environment, d => ({value: middle(d)}))], words);
  return {
    nodes: fields.nodes,
    take() { // returns {target, environment}; null if a value is wrong, undefined if one is missing
      const values = fields.take();
      if (values === null) return null;
      const context = {target: pick(values, target, 'target.'), environment: pick(values, environment, 'environment.')};
      return context.target && context.environment ? context : undefined;
    },
    set({target: t, environment: e}) {
      fields.set(Object.fromEntries([...Object.entries(t).map(([k, v]) => ['target.' + k, v]), ...Object.entries(e).map(([k, v]) => ['environment.' + k, v])]));
    },
  };
}

// "6.4 m (95 %: 6.2 to 6.6)"
export function interval(dimension, mean, deviation) {
  return !isNumber(deviation) ? amount(mean, dimension) : `${amount(mean, dimension)} (95 %: ${amount(mean - 1.96 * deviation)} to ${amount(mean + 1.96 * deviation)})`;
}
