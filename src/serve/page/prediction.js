// The prediction for a trial: its outcome, its reward, and the chances that it ends well and keeps each limit.
import {element, facts, isNumber, short, within} from './dom.js';
import {interval} from './fields.js';

// An answer of `best` and a stored ask have different names for the same numbers.
function read(e) {
  return {outcome: e.outcome ?? e.predicted_outcome, outcome_sd: e.outcome_sd ?? e.predicted_outcome_sd, reward: e.reward ?? e.predicted_reward,
    reward_sd: e.reward_sd ?? e.predicted_reward_sd, success: e.success_reward, success_sd: e.success_reward_sd,
    chance: (e.chance_of_success ?? 1) * (e.chance_of_outcome ?? 1), limits: e.limits ?? {}};
}

// A bar for a chance, with a mark at the required chance.
export function barRow(name, chance, wanted) {
  if (!isNumber(chance)) return null;
  const isEnough = chance >= wanted - 0.005, shown = chance > 0.995 && chance < 1 ? '> 0.99' : chance.toFixed(2);
  return [name, [element('meter', {min: 0, max: 1, low: wanted, high: wanted, optimum: 1, value: chance, 'aria-label': `${name}: chance ${shown}`}),
    element('span', {class: isEnough ? '' : 'bad'}, ` ${shown}${wanted ? `, asked for: ${short(wanted)}` : ''}`)]];
}

// "at most 4"
const limitText = l => [l.of ? `of ${l.of}` : null, l.at_most !== undefined ? `at most ${l.at_most}` : null, l.at_least !== undefined ? `at least ${l.at_least}` : null].filter(t => t).join(', ');

export function rewardText(e) {
  const {reward, reward_sd, success, success_sd, chance} = read(e);
  if (!isNumber(reward)) return null;
  return isNumber(success) && chance < 0.995 ? `${within(success, success_sd)} if it ends well; ${short(reward)} on average, with the failures` : within(reward, reward_sd);
}

export function prediction(problem, e) {
  const {outcome, outcome_sd, chance, limits} = read(e);
  return facts([
    ...(outcome ? problem.outcome.map(d => [d.name, isNumber(outcome[d.name]) ? interval(d, outcome[d.name], outcome_sd?.[d.name]) : null]) : []),
    ['reward', rewardText(e)],
    chance < 0.995 ? barRow('ends well', chance, 0) : null,
    ...Object.entries(limits).map(([name, kept]) => barRow(`${name} ${limitText(problem.limits?.[name] ?? {})}`.trim(), kept, problem.limits?.[name]?.chance ?? 0)),
  ]);
}

// Returns what looks wrong about a typed number, compared with the expected one.
export function doubtOf(expected) {
  return (dimension, value) => {
    const mean = expected?.outcome?.[dimension.name], deviation = expected?.outcome_sd?.[dimension.name];
    if (!isNumber(mean) || !isNumber(value) || !(deviation > 0) || Math.abs(value - mean) < 5 * deviation) return null;
    return `${dimension.name} was expected at ${within(mean, deviation)}: is ${value} a typo?`;
  };
}
