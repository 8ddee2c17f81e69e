// The learning curve: rewards in the order in which they were told, failed trials below them, suspects at the edge.
import {colour, count, element, short} from './dom.js';
import {axis, draw} from './charts.js';
import {nameOf} from './trial.js';

const RECENT = 10;

// The range of the rewards that are believed, made a little wider. A single wrong result must not flatten all the others.
export function rangeOf(values) {
  const known = values.filter(Number.isFinite), low = Math.min(...known), high = Math.max(...known), room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
  return known.length ? {min: low - room, max: high + room} : {min: 0, max: 1};
}

export function curve(view) {
  const box = element('div', {class: 'chart'}), node = element('section', {'aria-label': 'Learning curve'}, element('h2', {}, 'Learning curve'), box);
  return {node, show({curve: {points}, rollouts: {rollouts}, suspects, status}) {
    const names = new Map(rollouts.map(r => [r.result, nameOf(r)])), rewards = new Map(points.map(p => [p.result, p.reward]));
    const failed = rollouts.filter(r => r.used && r.status !== 'ok' && !rewards.has(r.result)).map(r => r.result);
    const order = [...rewards.keys(), ...failed].sort((a, b) => a - b).map((result, i) => ({result, x: i + 1}));
    const believed = order.filter(p => rewards.has(p.result) && !suspects.has(p.result)), doubted = order.filter(p => rewards.has(p.result) && suspects.has(p.result));
    const predicted = status?.predicted_reward, isPredicted = typeof predicted === 'number' && points.length > 0;
    const range = rangeOf([...believed.map(p => rewards.get(p.result)), ...isPredicted ? [predicted] : []]);
    const clipped = value => Math.min(Math.max(value, range.min), range.max), last = Math.max(order.length, 2);
    const told = p => ({...p, y: rewards.get(p.result)}), dots = (label, data, pointStyle, name) => ({label, data, showLine: false, pointStyle, pointRadius: 4, pointBorderWidth: pointStyle === 'circle' ? 0 : 2, backgroundColor: colour(name), borderColor: colour(name), clip: 8});
    const datasets = [
      dots('told', believed.map(told), 'circle', 'strong'),
      {label: `mean of the last ${RECENT}`, data: believed.slice(RECENT - 1).map((p, i) => ({x: p.x, y: believed.slice(i, i + RECENT).reduce((sum, q) => sum + rewards.get(q.result) / RECENT, 0)})), pointRadius: 0, borderWidth: 2, borderColor: colour('good'), backgroundColor: colour('good')},
    ];
    if (isPredicted) datasets.push({label: 'predicted for the policy', data: [{x: 1, y: predicted}, {x: last, y: predicted}], pointRadius: 0, borderDash: [6, 4], borderWidth: 2, borderColor: colour('mark'), backgroundColor: colour('mark')});
    if (failed.length) datasets.push(dots('failed', order.filter(p => !rewards.has(p.result)).map(p => ({...p, y: range.min})), 'crossRot', 'bad'));
    if (doubted.length) datasets.push(dots('suspect', doubted.map(p => ({...p, y: clipped(rewards.get(p.result))})), 'triangle', 'bad'));
    draw(box, `Rewards of ${count(points.length, 'result')} in the order in which they were told; ${failed.length} failed, ${count(doubted.length, 'suspect')}`, {
      type: 'line', data: {datasets},
      options: {
        scales: {x: axis('results so far', {min: 0, max: last + 1}), y: axis('reward', range)},
        onClick: (event, found) => { const hit = found.map(f => datasets[f.datasetIndex]?.data[f.index]).find(p => p?.result); if (hit) view.showTrial(hit.result); },
        plugins: {legend: {display: true}, tooltip: {callbacks: {
          title: items => (items[0]?.raw.result ? `result ${names.get(items[0].raw.result) ?? items[0].raw.result}` : `result ${items[0]?.raw.x}`),
          label: item => (item.dataset.label === 'failed' ? 'failed' : `${item.dataset.label} ${short(rewards.get(item.raw.result) !== undefined && item.datasetIndex !== 1 ? rewards.get(item.raw.result) : item.raw.y)}`),
        }}},
      },
    });
  }};
}
