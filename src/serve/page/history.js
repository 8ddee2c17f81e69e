// Shows changes and notes, changes the study, imports old results from a table, and saves everything as files.
import {brief, button, count, element, replace, say, select, time} from './dom.js';
import {save, studyPath} from './api.js';
import {act} from './act.js';
import {fieldsOf} from './fields.js';

// Imports a table of old results. It is shown before it is stored.
function importForm(view) {
  const shown = element('div', {role: 'status'});
  const file = element('input', {type: 'file', accept: '.csv,.tsv,.txt', async onchange() {
    const [chosen] = file.files;
    if (!chosen) { replace(shown); return; }
    const text = await chosen.text(), lines = text.split(/\r?\n/).filter(line => line.trim() && !line.startsWith('#')), rows = Math.max(lines.length - 1, 0);
    const done = () => { file.value = ''; replace(shown); };
    replace(shown, element('p', {}, `${chosen.name}: ${count(rows, 'row')}. It begins with`), element('pre', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Begin of the table'}, lines.slice(0, 4).map(line => brief(line, 300)).join('\n')),
      element('div', {class: 'row'}, button(`Store ${count(rows, 'row')}`, async () => {
        const answer = await act(view.study, 'import', {csv: text, file: chosen.name}, a => `${count(a.added, 'result')} added, ${a.skipped} skipped, which were stored already`);
        if (answer) done();
      }, {class: 'main'}), button('Leave it', done)));
  }});
  return element('div', {}, element('p', {class: 'soft'}, 'A CSV with a column for each dimension. Rows that are stored already are skipped.'), element('label', {}, 'Old results', file), shown);
}

export function history(view) {
  const path = studyPath(view.study), list = element('div', {class: 'scroll short', tabindex: 0, role: 'region', 'aria-label': 'Events'});
  const reward = element('input', {type: 'text', name: 'reward', size: 40, autocomplete: 'off', spellcheck: 'false'}), note = element('input', {type: 'text', name: 'study-note', maxlength: 1000, autocomplete: 'off'});
  const form = element('form', {class: 'row', onsubmit(event) {
    event.preventDefault();
    if (reward.value.trim()) act(view.study, 'amend', {reward: reward.value.trim()}, 'the reward is changed; every result is scored again');
  }}, element('label', {class: 'long'}, 'New reward', reward), element('button', {}, 'Change'));
  const noteForm = element('form', {class: 'row', async onsubmit(event) {
    event.preventDefault();
    if (note.value.trim() && await act(view.study, 'note', {text: note.value.trim()})) note.value = '';
  }}, element('label', {class: 'long'}, 'Note about the study', note), element('button', {}, 'Write down'));
  const bounds = element('div');
  const saved = (text, where, name) => button(text, () => save(`${path}/${where}`, name).catch(error => say(error.message, true)));
  const node = element('section', {class: 'wide', 'aria-label': 'History and files'}, element('div', {class: 'panels'},
    element('div', {}, element('h2', {}, 'History'), list, noteForm),
    element('div', {}, element('h2', {}, 'Changes'), form, bounds),
    element('div', {}, element('h2', {}, 'Files'), element('div', {class: 'row'},
      saved('Results as CSV', 'rollouts.csv', `${view.study}.csv`), saved('Results as JSON', 'rollouts?limit=10000', `${view.study}.json`), saved('Policy', 'policy', `${view.study}.policy`)), importForm(view))));
  let known = null, chosen = null;

  // New bounds of one dimension.
  function buildBounds(problem) {
    const all = [...problem.parameters, ...problem.target, ...problem.environment, ...problem.outcome].filter(d => !d.choices), d = all.find(one => one.name === chosen) ?? all[0];
    if (!d) return;
    chosen = d.name;
    const end = (name, value) => ({name, dimension: {name: `${name} bound`, unit: d.unit}, value: value ?? ''}), fields = fieldsOf([end('lower', d.lower), end('upper', d.upper)], `${d.name} will have`);
    replace(bounds, element('form', {class: 'row', onsubmit(event) {
      event.preventDefault();
      const values = fields.take();
      if (values && 'lower' in values && 'upper' in values) act(view.study, 'amend', {bounds: {[d.name]: [values.lower, values.upper]}}, `the bounds of ${d.name} are changed`);
      else if (values) say('give both bounds', true);
    }}, select('Bounds of', chosen, all.map(one => [one.name, one.name]), name => { chosen = name; buildBounds(problem); }), ...fields.nodes, element('button', {}, 'Change bounds')));
  }

  return {node, show({events: {events}, problem}) {
    form.hidden = problem.reward_is_told || problem.reward === null;
    reward.placeholder = problem.reward ?? '';
    const shape = JSON.stringify([problem.parameters, problem.target, problem.environment, problem.outcome]);
    if (shape !== known) buildBounds(problem);
    known = shape;
    replace(list, events.length ? element('ul', {}, ...[...events].reverse().map(e => element('li', {}, element('strong', {}, e.code.replace(/^note\./, 'note on ')), ` ${brief(e.text)} `, element('span', {class: 'soft'}, time(e.time_ms)))))
      : element('p', {class: 'soft'}, 'Nothing was changed.'));
  }};
}
