// Why an ask was made: one sentence, and the numbers behind it. The model is asked only when somebody looks.
import {button, element, facts, isNumber, numbers, replace, short, within} from './dom.js';
import {get, slowly, studyPath} from './api.js';
import {barRow} from './prediction.js';

const named = {limit: b => barRow(b.name, b.chance, b.wanted ?? 0) ?? [b.name, 'a limit'], constraint: b => ['constraint', b.name], bound: b => [`bound of ${b.name}`, short(b.value)]};
const choice = (problem, c) => (c ? `${numbers(c.parameters, problem.parameters)}${isNumber(c.reward) ? `: reward ${within(c.reward, c.reward_sd)}` : ''}` : null);

function show(view, problem, why) {
  return [element('p', {}, why.text), facts([
    ['with luck', isNumber(why.could_earn) ? `reward ${short(why.could_earn)}, in one of ten cases` : null],
    ['best known', choice(problem, why.best)], ['runner-up', choice(problem, why.runner_up)],
    ['teaches', why.teaches.map(t => `${t.of} ±${short(t.before)} → ±${short(t.after)}`).join(', ') || null],
    ...why.binds.map(b => named[b.kind]?.(b)),
  ]), why.trials.length ? element('p', {class: 'row'}, 'Results that speak for it: ', ...why.trials.map(t => button(`${t.name ?? t.result} (${short(100 * t.share)} %)`, () => view.showTrial(t.result)))) : null];
}

export function whyBox(view, problem, ask) {
  const box = element('div', {'aria-live': 'polite'}), node = element('details', {}, element('summary', {}, 'Why these parameters?'), box);
  node.addEventListener('toggle', async () => {
    if (!node.open) return;
    if (!box.children.length) replace(box, element('p', {class: 'soft'}, 'computing…'));
    try {
      replace(box, ...show(view, problem, await slowly(() => get(`${studyPath(view.study)}/why?ask=${ask}`))));
    } catch (error) {
      replace(box, element('p', {class: 'soft'}, error.message));
    }
  });
  return node;
}
