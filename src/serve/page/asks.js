// Pending asks, each with a form to tell what came of it; and a form to ask.
import {element, label, numbers, replace, say, valueAt} from './dom.js';
import {post, studyPath} from './api.js';

// The numbers of a form by name; null where a field is empty.
function read(form, dimensions, prefix) {
  const values = {};
  for (const d of dimensions) {
    const text = form.elements[prefix + d.name].value.trim();
    if (text === '') return null;
    values[d.name] = Number(text);
  }
  return values;
}

export function numberField(d, prefix, value) {
  return element('label', {}, label(d), element('input', {name: prefix + d.name, type: 'number', step: 'any', inputmode: 'decimal', value}));
}

// Calls the server, and says what it says: a receipt's warnings, or why it refused.
export async function act(path, body, done) {
  try {
    const answer = await post(path, body);
    for (const warning of answer.warnings ?? []) say(`${warning.code}: ${warning.message}`, true);
    if (done) say(typeof done === 'function' ? done(answer) : done);
    return answer;
  } catch (error) {
    say(error.message, true);
    return null;
  }
}

function askCard(study, problem, ask) {
  const path = studyPath(study);
  const tell = body => act(`${path}/tell`, {ask: ask.ask, client: 'page', ...body}, r => `result of ask ${ask.ask} is stored${r.reward === null ? '' : `, reward ${Number(r.reward.toPrecision(4))}`}`);
  const form = element('form', {class: 'row', onsubmit(event) {
    event.preventDefault();
    const outcome = read(form, problem.outcome, 'outcome.');
    const body = {};
    if (problem.outcome.length) body.outcome = outcome;
    if (problem.reward_is_told && form.elements.reward.value.trim() !== '') body.reward = Number(form.elements.reward.value);
    if (problem.outcome.length && outcome === null) say('fill in every number of the outcome, or say that there is none', true);
    else tell(body);
  }},
  ...problem.outcome.map(d => numberField(d, 'outcome.', '')),
  problem.reward_is_told ? element('label', {}, 'reward', element('input', {name: 'reward', type: 'number', step: 'any'})) : null,
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
      const form = element('form', {class: 'row', onsubmit(event) {
        event.preventDefault();
        const target = read(form, problem.target, 'target.'), environment = read(form, problem.environment, 'environment.');
        if (target === null || environment === null) say('fill in the whole context', true);
        else act(`${studyPath(study)}/ask`, {target, environment}, a => `ask ${a.ask}`);
      }},
      ...problem.target.map(d => numberField(d, 'target.', middle(d))), ...problem.environment.map(d => numberField(d, 'environment.', middle(d))),
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
