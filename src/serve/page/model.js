// How the model is: what matters (length-scales as sensitivity), and each result as all others would have predicted it.
import {colour, count, element, replace, short} from './dom.js';
import {get, slowly, studyPath} from './api.js';
import {axis, draw} from './charts.js';

export function model(study) {
  const health = element('div'), verdicts = element('div'), box = element('div', {class: 'chart'});
  const node = element('section', {'aria-label': 'Model'}, element('h2', {}, 'Model'), health, element('h3', {}, 'Each result, predicted from all others'), verdicts, box);
  let timer = null, last = 0, isRunning = false;

  function showHealth({model: processes, sensitivity}) {
    replace(health, ...processes.map((h, i) => element('div', {},
      element('h3', {}, `${h.output}${h.split_by ? `, ${h.side} side of ${h.split_by}` : ''}`),
      element('p', {class: 'soft'}, `learns from ${count(h.rollouts, 'result')}; noise ${h.noise_share !== undefined ? `${short(100 * h.noise_share)} % of the spread` : short(h.noise)}${h.fallback ? '; ' : ''}`,
        h.fallback ? element('span', {class: 'mark'}, h.fallback) : null),
      ...(i + 1 === processes.length || processes[i + 1].side !== h.side ? h.structures : []).filter(s => s.claimed).map(s => element('p', {}, `believed: ${s.words}`)),
      element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `What matters for ${h.output}`}, element('table', {}, element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'dimension'), element('th', {scope: 'col'}, 'changes over'), element('th', {scope: 'col'}, 'so it'))),
        element('tbody', {}, ...Object.entries(h.length_shares).map(([name, length]) =>
          element('tr', {}, element('td', {}, name), element('td', {}, `${short(100 * length)} % of its range`), element('td', {}, sensitivity[i][name])))))))));
  }

  function showCheck(check) {
    replace(verdicts, ...check.outputs.map(o => {
      const fault = o.overconfident ? 'is too sure of itself' : o.blind ? 'has not learnt what this depends on' : o.careful ? 'is surer than it says' : 'can be believed';
      return element('p', {}, `${o.name}: ${o.covered} of ${o.predicted} within their 95 % intervals; the model `, element('span', {class: o.overconfident || o.blind ? 'bad' : 'good'}, fault));
    }));
    const points = check.outputs.map(o => check.results.filter(r => r.expected[o.name] !== null).map(r => ({x: r.expected[o.name], y: r.told[o.name]})));
    const all = points.flat().flatMap(p => [p.x, p.y]), ends = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
    const colours = ['strong', 'good', 'mark', 'bad', 'soft'].map(colour);
    draw(box, 'Told values over those that all other results predict; a good model has them on the diagonal', {
      type: 'scatter',
      data: {datasets: [...check.outputs.map((o, i) => ({label: o.name, data: points[i], backgroundColor: colours[i % 5], borderColor: colours[i % 5]})),
        {label: 'equal', data: ends.map(v => ({x: v, y: v})), showLine: true, pointRadius: 0, borderDash: [4, 4], borderColor: colour('soft'), backgroundColor: colour('soft')}]},
      options: {scales: {x: axis('predicted'), y: axis('told')}, plugins: {legend: {display: true}}},
    });
  }

  async function fetchCheck() {
    if (isRunning) { timer = setTimeout(fetchCheck, 200); return; }
    isRunning = true;
    last = Date.now();
    try {
      showHealth(await slowly(() => get(`${studyPath(study)}/health`)));
      showCheck(await slowly(() => get(`${studyPath(study)}/check-model`)));
    } catch (error) {
      replace(verdicts, element('p', {class: 'soft'}, error.message));
    }
    isRunning = false;
  }

  return {node, show({status, curve}) {
    node.hidden = !status?.model?.length || curve.points.length < 5; // a check needs five results, and a Gaussian process
    if (node.hidden) return;
    clearTimeout(timer);
    timer = setTimeout(fetchCheck, Math.max(0, last + 5000 - Date.now()));
  }};
}
