// What more trials will bring: the study is rehearsed when somebody asks, which takes some seconds.
import {colour, element, replace, say} from './dom.js';
import {get, slowly, studyPath} from './api.js';
import {axis, draw} from './charts.js';
import {fieldsOf} from './fields.js';

export function forecastBox(view) {
  const answer = element('p', {'aria-live': 'polite'}), chart = element('div', {class: 'chart', hidden: true});
  const fields = fieldsOf([{name: 'more', dimension: {name: 'more trials', lower: 1}, value: 20}, {name: 'wanted', dimension: {name: 'reward wanted'}, isOptional: true}], 'looked at will be');

  function show({text, now, curve}) {
    replace(answer, text);
    chart.hidden = !curve?.length;
    if (chart.hidden) return;
    const points = [{trials: 0, ...now}, ...curve], line = (name, key, more) => ({label: name, data: points.map(p => ({x: p.trials, y: p[key]})), pointRadius: 0, borderWidth: 2, borderColor: colour('strong'), backgroundColor: colour('strong'), ...more});
    draw(chart, 'What the policy will earn after more trials, with a band for eight of ten cases', {type: 'line',
      data: {datasets: [line('median', 'median'), line('one of ten earns less', 'low', {borderWidth: 1, borderDash: [4, 4]}), line('one of ten earns more', 'high', {borderWidth: 1, borderDash: [4, 4]})]},
      options: {scales: {x: axis('more trials'), y: axis('reward of the policy')}, plugins: {legend: {display: true}}}});
  }

  return element('details', {}, element('summary', {}, 'How many more trials?'), element('form', {class: 'row', async onsubmit(event) {
    event.preventDefault();
    const values = fields.take();
    if (values === null) return;
    if (!(values.more >= 1 && values.more <= 200)) { say('more trials: a whole number from 1 to 200', true); return; }
    replace(answer, 'computing… (some seconds)');
    try {
      show(await slowly(() => get(`${studyPath(view.study)}/forecast?trials=${Math.round(values.more)}${values.wanted !== undefined ? `&reward=${values.wanted}` : ''}`)));
    } catch (error) {
      replace(answer, error.message);
    }
  }}, ...fields.nodes, element('button', {}, 'Forecast')), answer, chart);
}
