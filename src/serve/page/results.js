// All results, the latest first: a filter, marks for suspects, and a card for each.
import {brief, button, element, label, replace, short} from './dom.js';
import {nameOf, notesOf} from './trial.js';

const SHOWN = 300;

export function results(view) {
  const filter = element('input', {type: 'search', placeholder: 'failed, suspect, robot…', oninput: () => fill()});
  const table = element('table'), note = element('p', {class: 'soft'});
  const node = element('section', {class: 'wide', 'aria-label': 'Results'}, element('h2', {}, 'Results'),
    element('div', {class: 'row'}, element('label', {}, 'Filter', filter)), element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of results'}, table), note);
  let data = null;

  const notes = r => notesOf(data.events, r).map(e => e.text).join('; ');

  function words(r) {
    return `${nameOf(r)} ${r.ask ?? 'unasked'} ${r.status} ${brief(r.client)} ${brief(r.message, 4000)} ${brief(notes(r), 4000)} ${data.suspects.has(r.result) ? 'suspect' : ''} ${r.used ? 'used' : 'not used'} ${r.flagged ? 'flagged' : ''} ${r.confirmed ? 'confirmed' : ''}`.toLowerCase();
  }

  function row(r) {
    const p = data.problem;
    const cells = (values, dimensions) => dimensions.map(d => element('td', {}, short(values?.[d.name] ?? null)));
    const surprise = data.suspects.get(r.result);
    const said = [surprise ? element('span', {class: 'mark'}, `suspect: ${surprise.surprise} `) : null, r.confirmed ? 'confirmed ' : null, r.flagged ? 'no usable value ' : null,
      r.message ? brief(r.message) + ' ' : null, brief(notes(r))];
    return element('tr', {class: [r.used ? '' : 'unused', surprise ? 'suspect' : ''].join(' ').trim()},
      element('th', {scope: 'row'}, button(nameOf(r), () => view.showTrial(r.result), {'aria-label': `Result ${nameOf(r)}`})),
      element('td', {class: r.status === 'ok' ? '' : 'bad'}, r.status === 'ok' ? short(r.reward) : r.status),
      ...cells(r.outcome, p.outcome), ...cells(r.parameters, p.parameters), ...cells(r.target, p.target), ...cells(r.environment, p.environment),
      element('td', {class: 'text'}, brief(r.client, 80)), element('td', {class: 'text'}, ...said));
  }

  function fill() {
    if (!data) return;
    const p = data.problem, wanted = filter.value.trim().toLowerCase();
    const found = data.rollouts.rollouts.filter(r => wanted === '' || words(r).includes(wanted)).reverse();
    const names = ['result', 'reward', ...[...p.outcome, ...p.parameters, ...p.target, ...p.environment].map(label), 'client', 'notes'];
    replace(table, element('thead', {}, element('tr', {}, ...names.map(name => element('th', {scope: 'col'}, name)))), element('tbody', {}, ...found.slice(0, SHOWN).map(row)));
    note.textContent = found.length > SHOWN ? `The latest ${SHOWN} of ${found.length}; the table as CSV has all.` : `${found.length} of ${data.rollouts.rollouts.length}. Press the number of a result for its card.`;
    if (data.rollouts.rollouts.length >= 2000) note.textContent += ` Looked at are the latest ${data.rollouts.rollouts.length}; the table as CSV has all.`;
  }

  return {node, show(next) { data = next; fill(); }};
}
