// The best parameters for a context, or for each row of a table.
import {button, element, facts, numbers, replace, say} from './dom.js';
import {post, saveAnswer, slowly, studyPath} from './api.js';
import {act} from './act.js';
import {contextFields} from './fields.js';
import {prediction} from './prediction.js';

export function best(view) {
  const answer = element('div', {'aria-live': 'polite'}), forms = element('div');
  const node = element('section', {'aria-label': 'Best for a context'}, element('h2', {}, 'Best for a context'), forms, answer, tableForm(view));
  let fields = null, problem = null, known = null, wanted = null, timer = null, last = 0, isRunning = false;

  async function ask() {
    if (isRunning) { timer = setTimeout(ask, 200); return; }
    const here = wanted;
    isRunning = true;
    last = Date.now();
    answer.classList.add('stale');
    if (!answer.children.length) replace(answer, element('p', {class: 'soft'}, 'computing…'));
    try {
      show(here, await slowly(() => post(`${studyPath(view.study)}/best`, here)));
    } catch (error) {
      replace(answer, element('p', {class: 'soft'}, error.message));
    }
    answer.classList.remove('stale');
    isRunning = false;
    if (wanted !== here) ask();
  }

  function show(here, b) {
    replace(answer, element('p', {class: 'soft'}, `for ${numbers({...here.target, ...here.environment}, [...problem.target, ...problem.environment])}`),
      element('p', {class: 'recipe'}, numbers(b.parameters, problem.parameters)),
      b.lacks ? element('p', {class: 'mark'}, b.lacks) : null, prediction(problem, b),
      element('div', {class: 'row'}, button('Ask here', () => view.ask(here))));
  }

  function build() {
    fields = contextFields(problem, 'shown will be the best for');
    replace(forms, element('form', {class: 'row', onsubmit(event) {
      event.preventDefault();
      const context = fields.take();
      if (context === undefined) say('fill in the whole context', true);
      if (!context) return;
      wanted = view.context = context;
      ask();
    }}, ...fields.nodes, element('button', {class: 'main'}, 'Show the best')));
    wanted = view.context = fields.take();
    replace(answer);
  }

  view.showBest = context => { // called by the map
    fields.set(context);
    wanted = view.context = context;
    node.scrollIntoView({block: 'nearest'});
    ask();
  };

  return {node, show(data) {
    problem = data.problem;
    const shape = JSON.stringify([problem.target, problem.environment, problem.parameters, problem.outcome]);
    node.hidden = !data.curve.points.length;
    if (shape !== known) {
      known = shape;
      build();
    }
    clearTimeout(timer);
    if (!node.hidden && wanted) timer = setTimeout(ask, Math.max(0, last + 3000 - Date.now()));
  }};
}

// Adds the best parameters to each row of a table of contexts.
function tableForm(view) {
  const said = element('p', {class: 'soft', role: 'status'});
  const file = element('input', {type: 'file', accept: '.csv,.tsv,.txt', async onchange() {
    const [chosen] = file.files;
    if (!chosen) return;
    replace(said, 'computing…');
    try {
      const text = await chosen.text(), body = {contexts: text, file: chosen.name, format: 'csv'};
      await slowly(() => saveAnswer(`${studyPath(view.study)}/retarget`, body, chosen.name.replace(/\.\w+$/, '') + '-best.csv'));
      replace(said, `The table with the best parameters is saved as ${chosen.name.replace(/\.\w+$/, '')}-best.csv.`);
    } catch (error) {
      replace(said, error.message);
    }
    file.value = '';
  }});
  return element('details', {}, element('summary', {}, 'For a whole table'),
    element('p', {class: 'soft'}, 'A CSV with a column for each target and environment dimension. It comes back with the best parameters of each row.'),
    element('label', {}, 'Table of contexts', file), said);
}
