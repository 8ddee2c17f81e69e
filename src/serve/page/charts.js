// Charts by Chart.js, in the colours of the page. If the program was built without it, a text says so.
import {colour, element, replace} from './dom.js';

const charts = new WeakMap();

// Draws into a box. If the box has a chart, that gets the new data, so it does not flicker.
export function draw(box, description, {type, data, options}) {
  if (typeof Chart === 'undefined') {
    replace(box, element('p', {class: 'soft'}, 'No charts: fcps was built without the package libjs-chart.js.'));
    return;
  }
  let chart = charts.get(box);
  if (!chart) {
    const canvas = element('canvas', {role: 'img'});
    replace(box, canvas);
    chart = new Chart(canvas, {type, data, options: {locale: 'en', animation: false, responsive: true, maintainAspectRatio: false, ...options}});
    charts.set(box, chart);
  } else {
    chart.data = data;
  }
  const soft = colour('soft'), line = colour('line');
  for (const [name, {min, max}] of Object.entries(options.scales)) {
    const scale = chart.options.scales[name];
    Object.assign(scale, {min, max, grid: {color: line}, ticks: {...scale.ticks, color: soft}});
    if (scale.title) scale.title.color = soft;
  }
  Object.assign(chart.options.plugins, options.plugins, {legend: {...options.plugins.legend, labels: {color: colour('ink'), usePointStyle: true, boxHeight: 7}}});
  chart.options.onClick = options.onClick;
  chart.canvas.setAttribute('aria-label', description);
  chart.update('none');
}

export function forget(box) {
  charts.get(box)?.destroy();
  charts.delete(box);
}

// Numbers as in all texts, whatever the language of the browser: a point before the decimals, and no other marks. The ends of a
// range that is given are seldom round: they are not written.
export function axis(text, more = {}) {
  return {type: 'linear', title: {display: true, text}, ticks: {format: {useGrouping: false}, includeBounds: false}, ...more};
}
