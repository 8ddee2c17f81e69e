// The card of one trial: what was asked, expected and told, who told it and when, notes, and buttons for changes.
import {amount, brief, button, element, facts, isNumber, numbers, replace, short, table, time, within} from './dom.js';
import {act, resultButton} from './act.js';
import {rewardText} from './prediction.js';
import {whyBox} from './why.js';

export const nameOf = r => r.name ?? String(r.result);
export const notesOf = (events, r) => events.events.filter(e => e.code === `note.${nameOf(r)}`);

// The told and the expected value side by side, and by how many deviations they differ.
function comparison(problem, r) {
  const e = r.expected ?? {}, rows = problem.outcome.map(d => {
    const told = r.outcome?.[d.name], mean = e.outcome?.[d.name], deviation = e.outcome_sd?.[d.name];
    const apart = isNumber(told) && isNumber(mean) && deviation > 0 ? short(Math.abs(told - mean) / deviation) : '–';
    return [d.name, amount(told, d), isNumber(mean) ? within(mean, deviation) : '–', apart];
  });
  return table('Told and expected', ['', 'told', 'expected', 'deviations apart'], [...rows, ['reward', short(r.reward), rewardText(e) ?? '–', '–']]);
}

export function trial(view) {
  const dialog = element('dialog', {'aria-label': 'Trial'});
  document.body.append(dialog);
  dialog.addEventListener('close', () => { shown = null; });
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); }); // a click beside the card closes it
  let shown = null, data = null;

  const all = () => data.rollouts.rollouts;
  const step = by => all()[all().findIndex(r => r.result === shown) + by];

  function noteForm(r) {
    const text = element('input', {type: 'text', name: 'note', maxlength: 1000, autocomplete: 'off'});
    return element('form', {class: 'row', async onsubmit(event) {
      event.preventDefault();
      if (text.value.trim() && await act(view.study, 'note', {text: text.value.trim(), result: nameOf(r)})) text.value = '';
    }}, element('label', {class: 'long'}, 'Note', text), element('button', {}, 'Write down'));
  }

  function build(r) {
    const p = data.problem, surprise = data.suspects.get(r.result), note = noteForm(r);
    const move = (text, other) => button(text, () => view.showTrial(other.result), {disabled: other ? false : true});
    replace(dialog,
      element('div', {class: 'row'}, element('h2', {}, `Result ${nameOf(r)}`), move('Previous', step(-1)), move('Next', step(1)), button('Close', () => dialog.close(), {class: 'main'})),
      surprise ? element('p', {class: 'mark'}, `suspect: ${surprise.surprise}`) : null,
      facts([['told', `${time(r.time_ms)}${r.client ? ` by ${brief(r.client, 80)}` : ''}`], ['ended', r.status === 'ok' ? null : r.status],
        ['counts', [r.used ? null : 'not used', r.flagged ? 'no usable value' : null, r.confirmed ? 'confirmed' : null].filter(t => t).join(', ') || null],
        ['context', numbers({...r.target, ...r.environment}, [...p.target, ...p.environment])], ['parameters', numbers(r.parameters, p.parameters)],
        ['message', r.message ? brief(r.message, 4000) : null]]),
      comparison(p, r), r.ask === null ? null : whyBox(view, p, r.ask),
      element('ul', {class: 'notes'}, ...notesOf(data.events, r).map(e => element('li', {}, brief(e.text, 4000), ' ', element('span', {class: 'soft'}, time(e.time_ms))))),
      note,
      element('div', {class: 'row'}, resultButton(view.study, r.used ? 'drop' : 'use', [nameOf(r)]), surprise ? resultButton(view.study, 'confirm', [nameOf(r)]) : null,
        button('Ask again in this context', () => { dialog.close(); view.ask({target: r.target, environment: r.environment}); })));
  }

  view.showTrial = result => {
    const r = all().find(one => one.result === result);
    if (!r) return;
    shown = result;
    build(r);
    if (!dialog.open) dialog.showModal();
  };
  let state = null;
  return {node: null, close() { dialog.remove(); }, show(next) {
    data = next;
    const r = shown === null ? null : all().find(one => one.result === shown), now = JSON.stringify([r, r && notesOf(data.events, r), data.suspects.get(shown)]);
    if (r && now !== state) build(r); // otherwise the card stays, and with it a note that is being written
    state = now;
  }};
}
