// Unfinished asks, each with a form to tell its result; a form to ask; and a form for a trial without an ask.
import {button, count, element, facts, isNumber, numbers, replace, say, short} from './dom.js';
import {act} from './act.js';
import {contextFields, fieldsFor, fieldsOf, pick} from './fields.js';
import {doubtOf, prediction} from './prediction.js';
import {whyBox} from './why.js';

// A form for a result. `before` has further fields. `bodyOf` makes the request from their values; null if one is missing.
function resultForm(view, problem, {before = [], bodyOf = () => ({}), doubt, path, done, more = []}) {
  const reward = problem.reward_is_told ? [{name: 'reward', dimension: {name: 'reward'}}] : [];
  const fields = fieldsOf([...before, ...fieldsFor('outcome.', problem.outcome), ...reward], 'will be stored', doubt);
  const reason = element('input', {name: 'reason', type: 'text', maxlength: 200});
  const tell = (values, result) => {
    const rest = bodyOf(values);
    if (rest === null) say('fill in every number', true);
    else act(view.study, path, {client: 'page', ...rest, ...result}, done).then(answer => { if (answer) fields.set(Object.fromEntries(fieldsFor('outcome.', problem.outcome).map(f => [f.name, '']))); });
  };
  const withValues = what => { const values = fields.take(); if (values !== null) what(values); };
  return element('form', {class: 'row', onsubmit(event) {
    event.preventDefault();
    withValues(values => {
      const outcome = pick(values, problem.outcome, 'outcome.');
      if (problem.outcome.length && outcome === null) say('fill in every number of the outcome, or say that there is none', true);
      else tell(values, {...problem.outcome.length ? {outcome} : {}, ...values.reward !== undefined ? {reward: values.reward} : {}});
    });
  }},
  ...fields.nodes,
  element('button', {class: 'main'}, 'Tell'),
  problem.outcome.length ? button('No outcome', () => withValues(values => tell(values, {outcome: null, ...values.reward !== undefined ? {reward: values.reward} : {}}))) : null,
  element('label', {}, 'reason', reason),
  button('Failed', () => withValues(values => tell(values, {failed: reason.value || true}))),
  ...more);
}

// Only values that differ from the ask are told.
function otherwise(problem, ask) {
  const optional = () => ({isOptional: true}), asked = {dimensions: problem.target, values: {...ask.target, ...ask.environment, ...ask.parameters}};
  const fields = fieldsOf([...fieldsFor('executed.', problem.parameters, optional), ...fieldsFor('environment.', problem.environment, optional)], 'was in truth', undefined, asked);
  const part = (values, prefix) => Object.fromEntries(Object.entries(values).filter(([k]) => k.startsWith(prefix)).map(([k, v]) => [k.slice(prefix.length), v]));
  return {node: element('details', {}, element('summary', {}, 'It was done with other numbers'), element('div', {class: 'row'}, ...fields.nodes)), take() {
    const values = fields.take();
    if (values === null) return null;
    const executed = part(values, 'executed.'), environment = part(values, 'environment.');
    return {...Object.keys(executed).length ? {executed} : {}, ...Object.keys(environment).length ? {environment} : {}};
  }};
}

function askCard(view, problem, ask) {
  const other = otherwise(problem, ask);
  const form = resultForm(view, problem, {
    path: 'tell', doubt: doubtOf(ask.expected),
    bodyOf: () => { const changed = other.take(); return changed === null ? null : {ask: ask.ask, ...changed}; },
    done: r => `result of ask ${ask.ask} is stored${r.reward === null ? '' : `, reward ${short(r.reward)}`}`,
    more: [button('Give up', () => act(view.study, 'forget', {ask: ask.ask}, `ask ${ask.ask} is given up`))],
  });
  return element('div', {class: 'ask', 'data-ask': ask.ask},
    element('h3', {}, `Ask ${ask.ask}${ask.client ? ` of ${ask.client}` : ''}`),
    facts([['context', numbers({...ask.target, ...ask.environment}, [...problem.target, ...problem.environment])]]),
    element('p', {class: 'recipe'}, numbers(ask.parameters, problem.parameters)),
    isNumber(ask.cost) ? facts([['cost', short(ask.cost)]]) : null,
    ask.expected ? element('details', {}, element('summary', {}, 'What is expected'), prediction(problem, ask.expected)) : null,
    whyBox(view, problem, ask.ask), other.node, form);
}

// A trial without an ask has a key, so that its result counts only once, however often it is sent.
function unaskedForm(view, problem) {
  let key = null;
  const form = resultForm(view, problem, {
    before: [...fieldsFor('target.', problem.target), ...fieldsFor('environment.', problem.environment), ...fieldsFor('parameters.', problem.parameters)],
    path: 'tell',
    bodyOf(values) {
      const target = pick(values, problem.target, 'target.'), environment = pick(values, problem.environment, 'environment.'), executed = pick(values, problem.parameters, 'parameters.');
      if (!target || !environment || !executed) return null;
      key ??= `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
      return {target, environment, executed, key};
    },
    done(r) { key = null; return `the trial is stored${r.reward === null ? '' : `, reward ${short(r.reward)}`}`; },
  });
  return element('details', {}, element('summary', {}, 'Tell a trial that nobody asked for'), form);
}

export function asks(view) {
  const list = element('div'), forms = element('div'), unasked = element('div'), cards = new Map();
  const node = element('section', {'aria-label': 'Asks'}, element('h2', {}, 'Asks'), forms, list, unasked);
  let known = null, awaited = null;

  view.ask = async context => {
    const asked = await act(view.study, 'ask', context, a => `ask ${a.ask}`);
    awaited = asked?.ask ?? null;
    reveal();
  };
  function reveal() { // shows the ask that was just made, with the cursor in the first field of its result
    const card = cards.get(awaited);
    if (!card?.isConnected) return;
    awaited = null;
    card.scrollIntoView({block: 'center'});
    card.querySelector('form input')?.focus({preventScroll: true});
  }

  return {node, show({asks: {asks: pending}, problem}) {
    const shape = JSON.stringify([problem.target, problem.environment, problem.outcome, problem.parameters]);
    if (shape !== known) { // the problem is new, or was amended
      known = shape;
      cards.clear();
      const fields = contextFields(problem, 'will be asked for');
      replace(forms, element('form', {class: 'row', onsubmit(event) {
        event.preventDefault();
        const context = fields.take();
        if (context === undefined) say('fill in the whole context', true);
        if (context) view.ask(context);
      }}, ...fields.nodes, element('button', {class: 'main'}, 'Ask')));
      replace(unasked, unaskedForm(view, problem));
    }
    const newest = [...pending].reverse(), ids = new Set(pending.map(ask => ask.ask));
    for (const id of [...cards.keys()]) if (!ids.has(id)) cards.delete(id);
    for (const ask of newest) if (!cards.has(ask.ask)) cards.set(ask.ask, askCard(view, problem, ask)); // a form that is being filled in stays
    if (!newest.length) replace(list, element('p', {class: 'soft'}, 'Nothing is pending.'));
    else if (list.children.length !== newest.length || newest.some((ask, i) => list.children[i] !== cards.get(ask.ask))) {
      const focused = document.activeElement;
      replace(list, ...newest.map(ask => cards.get(ask.ask)));
      if (list.contains(focused)) focused.focus();
    }
    reveal();
  }};
}
