// Charts by Chart.js, in the colours of the page. Where the program was built without it, a text says so.
import {colour, element, replace} from './dom.js';

const charts = new WeakMap();

// Draws into a box; a chart that is there gets the new data and does not flicker.
export function draw(box, description, configuration) {
  if (typeof Chart === 'undefined') {
    replace(box, element('p', {class: 'soft'}, 'No charts: fcps was built without the package libjs-chart.js.'));
    return;
  }
  let chart = charts.get(box);
  if (!chart) {
    const canvas = element('canvas', {role: 'img'});
    replace(box, canvas);
    chart = new Chart(canvas, {...configuration, options: {...configuration.options, locale: 'en', animation: false, responsive: true, maintainAspectRatio: false}});
    charts.set(box, chart);
  } else {
    chart.data = configuration.data;
  }
  const soft = colour('soft'), line = colour('line');
  for (const scale of Object.values(chart.options.scales)) {
    scale.ticks = {...scale.ticks, color: soft};
    scale.grid = {color: line};
    if (scale.title) scale.title.color = soft;
  }
  chart.options.plugins.legend.labels = {color: colour('ink')};
  chart.canvas.setAttribute('aria-label', description);
  chart.update('none');
}

// Numbers as in all texts, whatever the language of the browser: a point before the decimals, and no other marks.
export function axis(text, more = {}) {
  return {type: 'linear', title: {display: true, text}, ticks: {format: {useGrouping: false}}, ...more};
}
