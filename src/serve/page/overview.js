// How far a study is: its counts, the stopping rule in words, and the learning curve.
import {colour, count, element, numbers, replace, short} from './dom.js';
import {axis, draw} from './charts.js';

// "bench: 12 results, 1 failed, 340 an hour, 2 under way"
function worker(w) {
  return `${w.worker}: ${count(w.results, 'result')}, ${w.failed} failed${w.per_hour > 0 ? `, ${short(w.per_hour)} an hour` : ''}, ${w.leases - w.ended_leases} under way`
    + (w.ended_leases ? `, ${w.ended_leases} silent for too long, for the next worker` : '');
}

export function overview() {
  const list = element('dl'), node = element('section', {'aria-label': 'State'}, element('h2', {}, 'State'), list);
  // what is known without the model, which may be asked for a while
  function stored({summary, problem}) {
    return [
      ['learner', summary.learner],
      ['reward', problem.reward ?? (problem.reward_is_told ? 'told with each result' : 'that of the task')],
      ['results', `${summary.rollouts}: ${summary.failed} failed`],
      ['unfinished', count(summary.pending, 'ask')],
      ['policy', 'the model is being asked'],
    ];
  }

  function judged({status, problem}) {
    const rows = [
      ['learner', `${status.learner}, seed ${status.seed}`],
      ['reward', problem.reward ?? (problem.reward_is_told ? 'told with each result' : 'that of the task')],
      ['results', `${status.rollouts}: ${status.with_outcome} with an outcome, ${status.without_outcome} without, ${status.failed} failed; ${status.not_used} more not used`],
      ['unfinished', count(status.pending, 'ask')],
    ];
    if (status.workers) rows.push(['workers', status.workers.map(worker).join('; ')]);
    if (status.suspects) rows.push(['suspects', `${status.suspects}: see the results`]);
    if (status.earned) rows.push(['rewards', status.earned]);
    if (status.lacks) rows.push(['policy', status.lacks]);
    else if (status.predicted_reward !== undefined && status.predicted_reward !== null)
      rows.push(['policy', `earns ${short(status.predicted_reward)} ± ${short(status.predicted_reward_sd)} on average, by its own prediction`
        + (status.predicted_reward_trial_sd === undefined ? '' : `; a trial differs from it by ${short(status.predicted_reward_trial_sd)}`)]);
    if (status.worst_reward !== undefined && status.worst_reward !== null)
      rows.push(['worst', `${short(status.worst_reward)} at ${numbers({...status.worst_target, ...status.worst_environment}, [...problem.target, ...problem.environment])}`]);
    if (status.contexts_with_low_chance) rows.push(['low chance', `in ${count(status.contexts_with_low_chance, 'context')} a trial will probably not end well with an outcome`]);
    if (status.caution_cost) rows.push(['caution', `gives up ${short(status.caution_cost)} of expected reward per context to keep away from likely failures`]);
    if (status.edge_gain) rows.push(['edges', `${short(status.edge_gain)} of reward per context may be gained beyond the edge of what is known to work`]);
    if (status.lacking_results) rows.push(['too few', `results to say: ${status.lacking_results} more needed`]);
    if (status.outage) rows.push(['outage', `${status.outage.length} trials in a row went wrong (${status.outage.join(', ')}), probably because of the machine: they do not count against their parameters`]);
    if (status.going_on) rows.push(['going on', status.going_on]);
    if (status.complaint) rows.push(['trouble', status.complaint]);
    return rows;
  }

  return {node, show(data) {
    const rows = data.status ? judged(data) : data.summary ? stored(data) : [];
    replace(list, ...rows.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {class: name === 'trouble' ? 'bad' : ''}, text)]));
  }};
}

export function curve() {
  const box = element('div', {class: 'chart'}), node = element('section', {'aria-label': 'Learning curve'}, element('h2', {}, 'Learning curve'), box);
  return {node, show({curve: {points}, status}) {
    const predicted = status?.predicted_reward;
    const datasets = [
      {label: 'told', data: points.map((p, i) => ({x: i + 1, y: p.reward})), showLine: false, pointRadius: 3, backgroundColor: colour('strong'), borderColor: colour('strong')},
      {label: 'mean of the last ten', data: points.map((p, i) => ({x: i + 1, y: p.mean})), pointRadius: 0, borderWidth: 2, borderColor: colour('good'), backgroundColor: colour('good')},
    ];
    if (typeof predicted === 'number' && points.length)
      datasets.push({label: 'predicted mean of the policy', data: [{x: 1, y: predicted}, {x: Math.max(points.length, 2), y: predicted}], pointRadius: 0, borderDash: [6, 4], borderWidth: 2, borderColor: colour('mark'), backgroundColor: colour('mark')});
    draw(box, `Rewards of ${count(points.length, 'result')} in the order in which they were told`, {
      type: 'line', data: {datasets}, options: {scales: {x: axis('results so far'), y: axis('reward')}, plugins: {legend: {display: true}}},
    });
  }};
}
