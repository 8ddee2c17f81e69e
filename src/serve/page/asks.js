// Pending asks, each with a form to tell what came of it; and a form to ask.
import {element, label, numbers, replace, say, short, valueAt} from './dom.js';
import {post, studyPath} from './api.js';
import {readNumber} from './number.js';

// Fields for numbers, from [{name, dimension, value}], and a line below them that says what was understood, before anything is sent.
function numberFields(wanted, words) {
  const shown = element('output', {'aria-live': 'polite'});
  const fields = wanted.map(field => ({...field, input: element('input', {name: field.name, type: 'text', autocomplete: 'off', spellcheck: 'false', value: field.value,
    inputmode: field.dimension.lower >= 0 ? 'decimal' : 'text', oninput: () => read()})})); // an iPhone's keys for decimals have no minus

  function read() {
    const typed = fields.map(({name, dimension, input}) => ({name, dimension, input, ...readNumber(input.value, dimension)}));
    const wrong = typed.filter(t => t.error), known = typed.filter(t => t.value !== undefined), missing = typed.filter(t => !t.error && t.value === undefined);
    for (const {input, error} of typed) input.setAttribute('aria-invalid', String(error !== undefined));
    shown.className = wrong.length ? 'bad' : 'soft';
    replace(shown, wrong.length ? wrong.map(t => `${t.dimension.name}: ${t.error}`).join('; ')
      : known.length && missing.length ? `still missing: ${missing.map(t => t.dimension.name).join(', ')}`
      : known.length ? `${words}: ${known.map(t => `${t.dimension.name} ${t.value}${t.dimension.unit ? ' ' + t.dimension.unit : ''}`).join(', ')}` : null);
    return {wrong, values: Object.fromEntries(known.map(t => [t.name, t.value]))};
  }

  return {nodes: [...fields.map(({dimension, input}) => element('label', {}, label(dimension), input)), shown], take() { // the numbers by name; null: one is wrong
    const {wrong, values} = read();
    if (wrong.length) wrong[0].input.focus();
    return wrong.length ? null : values;
  }};
}

// Those of the dimensions, whose fields are called prefix and name; null where one is missing.
function pick(values, dimensions, prefix) {
  return dimensions.every(d => prefix + d.name in values) ? Object.fromEntries(dimensions.map(d => [d.name, values[prefix + d.name]])) : null;
}

// A warning speaks of commands; here there are buttons for two of them.
const withButtons = text => text.replace(/fcps study amend STUDY --drop (\S+?), or --confirm \S+/g, 'drop or confirm result $1 below');

// Calls the server, and says what it says: a receipt's warnings, or why it refused.
export async function act(path, body, done) {
  try {
    const answer = await post(path, body);
    for (const warning of answer.warnings ?? []) say(`${warning.code}: ${withButtons(warning.message)}`, true);
    if (done) say(typeof done === 'function' ? done(answer) : done);
    return answer;
  } catch (error) {
    say(error.message, true);
    return null;
  }
}

function askCard(study, problem, ask) {
  const path = studyPath(study);
  const tell = body => act(`${path}/tell`, {ask: ask.ask, client: 'page', ...body}, r => `result of ask ${ask.ask} is stored${r.reward === null ? '' : `, reward ${short(r.reward)}`}`);
  const fields = numberFields([...problem.outcome.map(d => ({name: 'outcome.' + d.name, dimension: d})),
    ...problem.reward_is_told ? [{name: 'reward', dimension: {name: 'reward'}}] : []], 'will be stored');
  const form = element('form', {class: 'row', onsubmit(event) {
    event.preventDefault();
    const values = fields.take();
    if (values === null) return;
    const outcome = pick(values, problem.outcome, 'outcome.'), body = {};
    if (problem.outcome.length) body.outcome = outcome;
    if (values.reward !== undefined) body.reward = values.reward;
    if (problem.outcome.length && outcome === null) say('fill in every number of the outcome, or say that there is none', true);
    else tell(body);
  }},
  ...fields.nodes,
  element('button', {class: 'main'}, 'Tell'),
  problem.outcome.length ? element('button', {type: 'button', onclick: () => tell({outcome: null})}, 'No outcome') : null,
  element('label', {}, 'reason', element('input', {name: 'reason', type: 'text', maxlength: 200})),
  element('button', {type: 'button', onclick: () => tell({failed: form.elements.reason.value || true})}, 'Failed'),
  element('button', {type: 'button', onclick: () => act(`${path}/forget`, {ask: ask.ask}, `ask ${ask.ask} is given up`)}, 'Give up'));
  return element('div', {class: 'ask', 'data-ask': ask.ask},
    element('h3', {}, `Ask ${ask.ask}${ask.client ? ` of ${ask.client}` : ''}`),
    element('dl', {},
      element('dt', {}, 'context'), element('dd', {}, numbers({...ask.target, ...ask.environment}, [...problem.target, ...problem.environment])),
      element('dt', {}, 'parameters'), element('dd', {}, numbers(ask.parameters, problem.parameters))),
    form);
}

export function asks(study) {
  const list = element('div'), forms = element('div'), cards = new Map();
  const node = element('section', {'aria-label': 'Asks'}, element('h2', {}, 'Asks'), forms, list);
  let known = null;
  return {node, show({asks: {asks: pending}, problem}) {
    const shape = JSON.stringify([problem.target, problem.environment, problem.outcome, problem.parameters]);
    if (shape !== known) { // the problem was amended, or is new
      known = shape;
      cards.clear();
      const middle = d => (d.lower !== undefined ? Number(valueAt(d, 0.5).toPrecision(4)) : 0);
      const row = part => d => ({name: part + d.name, dimension: d, value: middle(d)});
      const fields = numberFields([...problem.target.map(row('target.')), ...problem.environment.map(row('environment.'))], 'will be asked for');
      const form = element('form', {class: 'row', onsubmit(event) {
        event.preventDefault();
        const values = fields.take();
        if (values === null) return;
        const target = pick(values, problem.target, 'target.'), environment = pick(values, problem.environment, 'environment.');
        if (target === null || environment === null) say('fill in the whole context', true);
        else act(`${studyPath(study)}/ask`, {target, environment}, a => `ask ${a.ask}`);
      }},
      ...fields.nodes,
      element('button', {class: 'main'}, 'Ask'));
      replace(forms, form);
    }
    const ids = new Set(pending.map(ask => ask.ask));
    for (const id of [...cards.keys()]) if (!ids.has(id)) cards.delete(id);
    for (const ask of pending) if (!cards.has(ask.ask)) cards.set(ask.ask, askCard(study, problem, ask)); // a form that is being filled in stays
    if (!pending.length) replace(list, element('p', {class: 'soft'}, 'Nothing is pending.'));
    else if (list.children.length !== cards.size || pending.some((ask, i) => list.children[i] !== cards.get(ask.ask))) {
      const focused = document.activeElement;
      replace(list, ...pending.map(ask => cards.get(ask.ask)));
      if (list.contains(focused)) focused.focus();
    }
  }};
}
