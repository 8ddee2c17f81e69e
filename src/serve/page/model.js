// The model: its length-scales, and each result beside its prediction from all other results.
import {amount, colour, count, element, label, replace, short} from './dom.js';
import {get, slowly, studyPath} from './api.js';
import {axis, draw} from './charts.js';
import {rangeOf} from './curve.js';

export function model(view) {
  const health = element('div', {class: 'panels'}), verdicts = element('div', {class: 'panels'}), computing = element('p', {class: 'soft'}, 'computing…');
  const node = element('section', {class: 'wide', 'aria-label': 'Model'}, element('h2', {}, 'Model'), computing, health, element('h3', {}, 'Each result, predicted from all others'), verdicts);
  let timer = null, last = 0, isRunning = false, panels = new Map(), data = null;

  function showHealth({model: processes}) {
    replace(health, ...processes.map((h, i) => element('div', {},
      element('h3', {}, `${h.output}${h.split_by ? `, ${h.side} side of ${h.split_by}` : ''}`),
      element('p', {class: 'soft'}, `learns from ${count(h.rollouts, 'result')}; noise ${h.noise_share !== undefined ? `${short(100 * h.noise_share)} % of the spread` : short(h.noise)}${h.fallback ? '; ' : ''}`,
        h.fallback ? element('span', {class: 'mark'}, h.fallback) : null),
      ...(i + 1 === processes.length || processes[i + 1].side !== h.side ? h.structures : []).filter(s => s.claimed).map(s => element('p', {}, `believed: ${s.words}`)),
      element('p', {class: 'soft'}, 'It changes over this part of a range: ', Object.entries(h.length_shares).map(([name, length]) => `${name} ${short(100 * length)} %`).join(', ')))));
  }

  // One panel for each outcome. A suspect stands at the edge, so that it does not flatten the others.
  function showPanel(o, check) {
    const had = panels.get(o.name), words = had?.words ?? element('p'), box = had?.box ?? element('div', {class: 'chart square'});
    const dimension = data.problem.outcome.find(d => d.name === o.name) ?? {name: o.name};
    const fault = o.overconfident ? 'is too sure of itself' : o.blind ? 'has not learnt what this depends on' : o.careful ? 'is surer than it says' : 'can be believed';
    replace(words, `${o.name}: ${o.covered} of ${o.predicted} within their 95 % intervals; the model `, element('span', {class: o.overconfident || o.blind ? 'bad' : 'good'}, fault));
    const points = check.results.filter(r => r.expected[o.name] !== null).map(r => ({x: r.expected[o.name], y: r.told[o.name], result: r.sequence, isDoubted: data.suspects.has(r.sequence)}));
    const range = rangeOf(points.filter(p => !p.isDoubted).flatMap(p => [p.x, p.y])), clip = v => Math.min(Math.max(v, range.min), range.max);
    const shown = (isDoubted, text, pointStyle, name) => ({label: text, data: points.filter(p => p.isDoubted === isDoubted).map(p => ({...p, x: clip(p.x), y: clip(p.y), told: p.y, expected: p.x})), pointStyle, pointRadius: 4, backgroundColor: colour(name), borderColor: colour(name), clip: 8});
    const datasets = [shown(false, 'results', 'circle', 'strong'), shown(true, 'suspect', 'triangle', 'bad'),
      {label: 'equal', data: [range.min, range.max].map(v => ({x: v, y: v})), showLine: true, pointRadius: 0, borderDash: [4, 4], borderColor: colour('soft'), backgroundColor: colour('soft')}]
      .filter(d => d.data.length);
    draw(box, `${o.name}: told values over those that all other results predict; a good model has them on the diagonal`, {
      type: 'scatter', data: {datasets},
      options: {scales: {x: axis(`${label(dimension)}, predicted`, range), y: axis(`${label(dimension)}, told`, range)},
        onClick: (event, found) => { const hit = found.map(f => datasets[f.datasetIndex]?.data[f.index]).find(p => p?.result); if (hit) view.showTrial(hit.result); },
        plugins: {legend: {display: datasets.length > 2}, tooltip: {callbacks: {
          label: ({raw}) => (raw.told === undefined ? '' : `told ${amount(raw.told, dimension)}, predicted ${amount(raw.expected, dimension)}`)}}}},
    });
    return {words, box, node: had?.node ?? element('div', {}, words, box)};
  }

  function showCheck(check) {
    panels = new Map(check.outputs.map(o => [o.name, showPanel(o, check)]));
    if (verdicts.children.length !== panels.size || [...panels.values()].some((p, i) => verdicts.children[i] !== p.node)) replace(verdicts, ...[...panels.values()].map(p => p.node));
  }

  async function fetchCheck() {
    if (isRunning) { timer = setTimeout(fetchCheck, 200); return; }
    isRunning = true;
    last = Date.now();
    try {
      showHealth(await slowly(() => get(`${studyPath(view.study)}/health`)));
      showCheck(await slowly(() => get(`${studyPath(view.study)}/check-model`)));
      computing.hidden = true;
    } catch (error) {
      computing.hidden = false;
      computing.textContent = error.message;
    }
    isRunning = false;
  }

  return {node, show(next) {
    data = next;
    node.hidden = !data.status?.model?.length || data.curve.points.length < 5; // a check needs five results, and a Gaussian process
    if (node.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(fetchCheck, Math.max(0, last + 5000 - Date.now()));
  }};
}
