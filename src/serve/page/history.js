// What was changed, how to change it, and everything as files.
import {brief, element, replace, say} from './dom.js';
import {save, studyPath} from './api.js';
import {act} from './asks.js';

export function history(study) {
  const path = studyPath(study), list = element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Events'});
  const reward = element('input', {type: 'text', name: 'reward', size: 40, autocomplete: 'off', spellcheck: 'false'});
  const form = element('form', {class: 'row', onsubmit(event) {
    event.preventDefault();
    if (reward.value.trim()) act(`${path}/amend`, {reward: reward.value.trim()}, 'the reward is changed; every result is scored again');
  }}, element('label', {}, 'New reward', reward), element('button', {}, 'Change'));
  const button = (text, where, name) => element('button', {type: 'button', onclick: () => save(`${path}/${where}`, name).catch(error => say(error.message, true))}, text);
  const node = element('section', {'aria-label': 'History and files'}, element('h2', {}, 'History'), list, form,
    element('h2', {}, 'Files'), element('div', {class: 'row'},
      button('Results as CSV', 'rollouts.csv', `${study}.csv`), button('Results as JSON', 'rollouts?limit=10000', `${study}.json`), button('Policy', 'policy', `${study}.policy`)));
  return {node, show({events: {events}, problem}) {
    form.hidden = problem.reward_is_told || problem.reward === null;
    reward.placeholder = problem.reward ?? '';
    replace(list, events.length ? element('ul', {}, ...[...events].reverse().map(e => element('li', {}, element('strong', {}, e.code), ` ${brief(e.text)} `, element('span', {class: 'soft'}, new Date(e.time_ms).toLocaleString()))))
      : element('p', {class: 'soft'}, 'Nothing was changed.'));
  }};
}
