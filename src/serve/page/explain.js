// What matters, how the best parameters follow the context, and slices of the prediction through the context in the box of the best parameters.
import {colour, element, label, replace, select, short, table, whenSeen} from './dom.js';
import {post, slowly, studyPath} from './api.js';
import {axis, draw, forget} from './charts.js';
import {wordsOf} from './scale.js';

const POINTS = 24;

export function explain(view) {
  const text = element('p', {'aria-live': 'polite'}), shares = element('div'), controls = element('div', {class: 'row'}), panels = element('div', {class: 'panels'});
  const node = element('section', {class: 'wide', 'aria-label': 'What matters'}, element('h2', {}, 'What matters'), text, shares, element('h3', {}, 'Along a dimension'), controls, panels);
  const boxes = new Map();
  let data = null, answer = null, chosen = null, timer = null, last = 0, isRunning = false, isSeen = false, isStale = false;

  const all = () => [...data.problem.target, ...data.problem.environment, ...data.problem.parameters];
  const find = name => all().find(d => d.name === name) ?? data.problem.outcome.find(d => d.name === name) ?? {name};

  // A value over the chosen dimension, with a band of two deviations if there is one. Words stand side by side.
  function panel(dimension, name, values, told, deviations, words = null) {
    const box = boxes.get(name) ?? element('div', {class: 'chart'}), areWords = typeof values[0] === 'string', at = i => (areWords ? i : values[i]);
    const y = words ? told.map(word => (word === null ? null : words.indexOf(word))) : told, named = list => ({min: -0.5, max: list.length - 0.5, afterBuildTicks: scale => { scale.ticks = list.map((_, value) => ({value})); }, ticks: {callback: i => list[i] ?? ''}});
    boxes.set(name, box);
    const line = (title, of, more) => ({label: title, data: y.map((v, i) => ({x: at(i), y: v === null ? null : of(v, i)})), pointRadius: areWords ? 5 : 0, showLine: !areWords, stepped: words && 'middle', borderWidth: 2, borderColor: colour('strong'), backgroundColor: colour('strong'), ...more});
    const edge = sign => line('95 %', (v, i) => v + sign * 1.96 * deviations[i], {borderWidth: 1, borderDash: [4, 4], pointRadius: areWords ? 3 : 0});
    draw(box, `${name} along ${dimension.name}`, {type: 'line', data: {datasets: [line(name, v => v), ...deviations ? [edge(-1), edge(1)] : []]},
      options: {scales: {x: axis(label(dimension), areWords ? named(values) : {min: values[0], max: values.at(-1)}), y: axis(name, words ? named(words) : {})}, plugins: {legend: {display: false}}}});
    return box;
  }

  function paint() {
    const names = all().map(d => [d.name, label(d)]);
    chosen = names.some(([name]) => name === chosen) ? chosen : names[0]?.[0];
    replace(controls, select('along', chosen, names, name => { chosen = name; boxes.forEach(forget); boxes.clear(); paint(); }));
    const choice = answer.choices.find(c => c.dimension === chosen), slice = answer.slices.find(s => s.dimension === chosen), dimension = find(chosen), shown = [];
    if (choice) {
      for (const p of data.problem.parameters) shown.push(panel(dimension, `best ${label(p)}`, choice.values, choice.parameters[p.name], null, p.choices ? wordsOf(p) : null));
      shown.push(panel(dimension, 'reward of the best', choice.values, choice.rewards, choice.deviations));
    } else if (slice) {
      shown.push(panel(dimension, 'reward', slice.values, slice.rewards, slice.deviations));
      for (const [name, y] of Object.entries(slice.outcomes ?? {})) shown.push(panel(dimension, label(find(name)), slice.values, y, slice.outcome_deviations?.[name]));
    }
    if (shown.length !== panels.children.length || shown.some((box, i) => panels.children[i] !== box)) replace(panels, ...shown);
  }

  function show() {
    replace(text, answer.text);
    const names = all().map(d => d.name).filter(name => answer.sensitivity.some(s => name in s.total));
    replace(shares, table('What matters', ['share of', ...names], answer.sensitivity.map(s => [s.output, ...names.map(name => (name in s.total ? `${short(Math.round(1000 * s.total[name]) / 10)} %` : '–'))])));
    paint();
  }

  async function fetchAnswer() {
    if (isRunning || !isSeen) return;
    isRunning = true;
    isStale = false;
    last = Date.now();
    if (!answer) replace(text, 'computing…');
    try {
      answer = await slowly(() => post(`${studyPath(view.study)}/explain`, {points: POINTS, ...view.context ?? {}}));
      show();
    } catch (error) {
      replace(text, error.message);
    }
    isRunning = false;
    if (isStale) later();
  }
  function later() {
    isStale = true;
    clearTimeout(timer);
    timer = setTimeout(fetchAnswer, Math.max(0, last + 5000 - Date.now()));
  }
  whenSeen(node, seen => { isSeen = seen; if (isSeen && isStale) later(); });

  return {node, show(next) {
    data = next;
    node.hidden = !data.status?.model?.length || data.curve.points.length < 5;
    if (!node.hidden) later();
  }};
}
