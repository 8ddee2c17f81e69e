// The state of a study: what needs attention, counts, and the stopping rule in words.
import {button, count, element, facts, isNumber, numbers, replace, short, within} from './dom.js';
import {remedies, resultButton} from './act.js';
import {forecastBox} from './forecast.js';

const LISTED = 5; // this many suspects are listed here; the list of results marks all

// Warnings and suspects, each with buttons for what can be done about it.
export function attention(view) {
  const list = element('ul'), node = element('section', {class: 'wide attention', 'aria-label': 'Attention'}, element('h2', {}, 'Attention'), list);

  function suspect([result, {name, surprise}]) {
    return element('li', {}, element('p', {}, `Result ${name} surprises: ${surprise}. A typo, or is it right?`),
      button('Look', () => view.showTrial(result), {'aria-label': `Look at result ${name}`}), resultButton(view.study, 'drop', [name]), resultButton(view.study, 'confirm', [name]));
  }

  return {node, show({status, suspects}) {
    const warnings = (status?.warnings ?? []).map(w => ({...remedies(view.study, w.message), code: w.code})), all = [...suspects];
    node.hidden = !warnings.length && !all.length;
    replace(list, ...warnings.map(w => element('li', {}, element('p', {}, w.text, ' ', element('small', {class: 'soft'}, w.code)), ...w.buttons)),
      ...all.slice(0, LISTED).map(suspect),
      all.length > LISTED ? element('li', {}, `and ${count(all.length - LISTED, 'more suspect')}: write “suspect” into the filter of the results`) : null);
  }};
}

// "bench: 12 results, 1 failed, 340 an hour, 2 under way"
function worker(w) {
  return `${w.worker}: ${count(w.results, 'result')}, ${w.failed} failed${w.per_hour > 0 ? `, ${short(w.per_hour)} an hour` : ''}, ${w.leases - w.ended_leases} under way`
    + (w.ended_leases ? `, ${w.ended_leases} silent for too long: another worker gets them` : '');
}

const rewardOf = problem => problem.reward ?? (problem.reward_is_told ? 'told with each result' : 'that of the task');

function tile(name, value, more) {
  return element('div', {class: 'tile'}, element('span', {class: 'soft'}, name), element('strong', {}, value), element('span', {class: 'soft'}, more ?? ''));
}

export function overview(view) {
  const tiles = element('div', {class: 'tiles'}), verdict = element('p', {class: 'verdict', 'aria-live': 'polite'}), more = element('div'), forecast = forecastBox(view);
  const matters = button('What matters?', () => document.querySelector('section[aria-label="What matters"]').scrollIntoView());
  const node = element('section', {'aria-label': 'State'}, element('h2', {}, 'State'), tiles, verdict, forecast, element('p', {}, matters), element('details', {}, element('summary', {}, 'More'), more));

  // first show what is known without the model, because the model may take long
  function stored({summary, problem}) {
    replace(tiles, tile('results', summary.rollouts, `${summary.failed} failed`), tile('policy', '…', 'computing…'));
    replace(more, facts([['learner', summary.learner], ['reward', rewardOf(problem)], ['unfinished', count(summary.pending, 'ask')]]));
  }

  function judged({status: s, problem}) {
    replace(tiles, tile('results', s.rollouts, `${s.failed} failed${s.not_used ? `, ${s.not_used} not used` : ''}`),
      isNumber(s.best_reward) ? tile('best reward', short(s.best_reward), `mean of the last ten: ${short(s.recent_reward)}`) : null,
      isNumber(s.predicted_reward) && !s.lacks ? tile('the policy earns', within(s.predicted_reward, s.predicted_reward_sd), 'on average, by its own prediction') : null);
    replace(verdict, s.lacks ?? s.going_on ?? null);
    const known = value => value !== undefined && value !== null;
    replace(more, facts([
      ['learner', `${s.learner}, seed ${s.seed}`],
      ['reward', rewardOf(problem)],
      ['results', `${s.with_outcome} with an outcome, ${s.without_outcome} without, ${s.failed} failed; ${s.not_used} more not used`],
      ['unfinished', count(s.pending, 'ask')],
      known(s.cost) ? ['cost', `${short(s.cost)} so far${known(s.mean_cost) ? `, mean ${short(s.mean_cost)} a trial` : ''}`] : null,
      s.workers ? ['workers', s.workers.map(worker).join('; ')] : null,
      s.earned ? ['rewards', s.earned] : null,
      known(s.predicted_reward_reducible_sd) ? ['uncertainty', `of what the policy earns: ${short(s.predicted_reward_reducible_sd)}. More trials reduce it`] : null,
      known(s.worst_reward) ? ['worst', `${short(s.worst_reward)} at ${numbers({...s.worst_target, ...s.worst_environment}, [...problem.target, ...problem.environment])}`] : null,
      s.contexts_with_low_chance ? ['low chance', `in ${count(s.contexts_with_low_chance, 'context')} a trial will probably not end well with an outcome`] : null,
      ...Object.entries(s.limits ?? {}).map(([name, l]) => [`limit ${name}`, `broken by ${l.broken} of ${count(l.results, 'result')}${l.unmeasured ? `; ${l.unmeasured} more did not measure it` : ''}${l.foretold ? `; of ${l.foretold} that were foretold, ${short(l.expected)} were expected to` : ''}`]),
      s.caution_cost ? ['caution', `gives up ${short(s.caution_cost)} of expected reward per context to keep away from likely failures`] : null,
      s.edge_gain ? ['edges', `${short(s.edge_gain)} of reward per context may be gained beyond the edge of what is known to work`] : null,
      s.lacking_results ? ['too few', `results to say: ${s.lacking_results} more needed`] : null,
      s.outage ? ['outage', `${s.outage.length} trials in a row went wrong (${s.outage.join(', ')}), probably because of the machine: they do not count against their parameters`] : null,
      s.complaint ? ['trouble', s.complaint, 'bad'] : null,
    ]));
  }

  return {node, show(data) {
    forecast.hidden = !data.status?.model?.length;
    matters.hidden = forecast.hidden || data.curve.points.length < 5;
    if (data.status) judged(data);
    else if (data.summary) stored(data);
  }};
}
