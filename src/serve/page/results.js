// All results, the latest first: a filter, marks for suspects, and which of them count.
import {brief, element, label, replace, short} from './dom.js';
import {studyPath} from './api.js';
import {act} from './asks.js';

const SHOWN = 300;

export function results(study) {
  const filter = element('input', {type: 'search', placeholder: 'failed, suspect, robot…', oninput: () => fill()});
  const table = element('table'), note = element('p', {class: 'soft'});
  const node = element('section', {class: 'wide', 'aria-label': 'Results'}, element('h2', {}, 'Results'),
    element('div', {class: 'row'}, element('label', {}, 'Filter', filter)), element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of results'}, table), note);
  let data = null;

  // "7.2": the second result of ask 7, as messages and the program call it
  const nameOf = r => (r.ask === null ? String(r.result) : `${r.ask}.${r.evidence}`);

  function words(r) {
    return `${nameOf(r)} ${r.ask ?? 'unasked'} ${r.status} ${brief(r.client)} ${brief(r.message, 4000)} ${data.suspects.has(r.result) ? 'suspect' : ''} ${r.used ? 'used' : 'not used'} ${r.flagged ? 'flagged' : ''} ${r.confirmed ? 'confirmed' : ''}`.toLowerCase();
  }

  function buttons(r) {
    const path = studyPath(study), name = `result ${nameOf(r)}`;
    const button = (text, where, done) => element('button', {type: 'button', 'aria-label': `${text} ${name}`, onclick: () => act(`${path}/${where}`, {result: r.result}, done)}, text);
    const list = [r.used ? button('Drop', 'drop', `${name} no longer counts`) : button('Use', 'use', `${name} counts again`)];
    if (data.suspects.has(r.result)) list.push(button('Confirm', 'confirm', `${name} is confirmed`));
    return list;
  }

  function row(r) {
    const p = data.problem;
    const cells = (values, dimensions) => dimensions.map(d => element('td', {}, short(values ? values[d.name] : null)));
    const surprise = data.suspects.get(r.result);
    const notes = [surprise ? element('span', {class: 'mark'}, `suspect: ${surprise} `) : null, r.confirmed ? 'confirmed ' : null, r.flagged ? 'no usable value ' : null, r.message ? brief(r.message) : null];
    return element('tr', {class: [r.used ? '' : 'unused', surprise ? 'suspect' : ''].join(' ').trim()},
      element('td', {}, nameOf(r)), element('td', {}, r.ask ?? '–'), element('td', {}, r.status),
      ...cells(r.target, p.target), ...cells(r.environment, p.environment), ...cells(r.parameters, p.parameters), ...cells(r.outcome, p.outcome),
      element('td', {}, short(r.reward)), element('td', {class: 'text'}, brief(r.client, 80)), element('td', {class: 'text'}, ...notes), element('td', {}, ...buttons(r)));
  }

  function fill() {
    if (!data) return;
    const p = data.problem, wanted = filter.value.trim().toLowerCase();
    const found = data.rollouts.rollouts.filter(r => wanted === '' || words(r).includes(wanted)).reverse();
    const names = ['result', 'ask', 'status', ...[...p.target, ...p.environment, ...p.parameters, ...p.outcome].map(label), 'reward', 'client', 'notes', 'actions'];
    replace(table, element('thead', {}, element('tr', {}, ...names.map(name => element('th', {scope: 'col'}, name)))), element('tbody', {}, ...found.slice(0, SHOWN).map(row)));
    note.textContent = found.length > SHOWN ? `The latest ${SHOWN} of ${found.length}; the table as CSV has all.` : `${found.length} of ${data.rollouts.rollouts.length}`;
    if (data.rollouts.rollouts.length >= 2000) note.textContent += ` Looked at are the latest ${data.rollouts.rollouts.length}; the table as CSV has all.`;
  }

  return {node, show(next) { data = next; fill(); }};
}
