// The page: the list of studies, one study at a time, and the stream of changes that keeps both up to date.
import {get, listen, setToken, slowly, studyPath, takeToken} from './api.js';
import {count, element, replace, say, visible} from './dom.js';
import {attention, overview} from './overview.js';
import {asks} from './asks.js';
import {best} from './best.js';
import {curve} from './curve.js';
import {explain} from './explain.js';
import {history} from './history.js';
import {map} from './map.js';
import {model} from './model.js';
import {results} from './results.js';
import {trial} from './trial.js';

const main = document.getElementById('main'), connection = document.getElementById('connection');
let shown = null; // the study that is shown: its name, its parts, and whether it is being read
let summaries = []; // the summaries of all studies

// Brings a list that grows up to date: adds the new items or, if an old item has changed, reads the whole list again.
async function grow(view, path, key, most) {
  const had = view.lists.get(key), where = studyPath(view.study) + path;
  const more = had ? await get(`${where}?after=${had.last}`) : null;
  const isAdded = had && more.earlier === had.digest && !more.more;
  const list = isAdded ? {...more, [key]: had[key].concat(more[key]).slice(-most)} : await get(where + (most < Infinity ? `?latest=${most}` : ''));
  view.lists.set(key, list);
  return list;
}

// What is stored and what the model says are read separately, because the model may take long.
const plain = part => view => get(studyPath(view.study) + part), slow = part => view => slowly(() => get(studyPath(view.study) + part));
const stored = {
  parts: [plain('/problem'), plain('/asks'), view => grow(view, '/rollouts', 'rollouts', 2000), plain('/events?latest=2000'), view => grow(view, '/curve', 'points', Infinity)],
  take: ([problem, asks, rollouts, events, curve]) => ({problem, asks, rollouts, events, curve}),
};
const judged = {
  parts: [slow(''), slow('/suspects')],
  take: ([status, {suspects}]) => ({status, suspects: new Map(suspects.map(s => [s.result, s]))}),
};

// Reads a group of parts, reads them again if a change came meanwhile, and lets the view show them.
async function read(view, group) {
  const state = view.reading.get(group) ?? {isBusy: false, isStale: false};
  view.reading.set(group, state);
  state.isStale = true;
  if (state.isBusy) return;
  state.isBusy = true;
  while (state.isStale && view === shown) {
    state.isStale = false;
    try {
      Object.assign(view.data, group.take(await Promise.all(group.parts.map(part => part(view)))));
      if (view === shown && view.data.problem) for (const part of view.parts) part.show(view.data);
    } catch (error) {
      say(`${view.study}: ${error.message}`, true);
    }
  }
  state.isBusy = false;
}

function refresh(view) {
  read(view, stored).then(() => { if (view === shown) document.title = `${visible(view.study)}: ${count(Math.max(view.data.summary?.rollouts ?? 0, view.data.rollouts?.rollouts.length ?? 0), 'result')} – fcps`; });
  read(view, judged);
}

// The parts call each other through the view: .ask(context), .showBest(context) and .showTrial(result) are set by the parts that do it.
function open(study) {
  shown?.card.close();
  const view = {study, data: {summary: summaries.find(s => s.study === study), status: null, suspects: new Map()}, lists: new Map(), reading: new Map()};
  const card = trial(view), top = attention(view), left = [overview(view), asks(view), curve(view)], right = [best(view), map(view)], below = [results(view), explain(view), model(view), history(view)];
  shown = Object.assign(view, {card, parts: [top, ...left, ...right, ...below, card]});
  const column = parts => element('div', {class: 'column'}, ...parts.map(part => part.node));
  replace(main, top.node, column(left), column(right), ...below.map(part => part.node));
  refresh(shown);
}

async function list() {
  const {studies} = await get('/v1/studies');
  summaries = studies;
  if (shown) shown.data.summary = studies.find(s => s.study === shown.study) ?? shown.data.summary;
  const wanted = decodeURIComponent(location.hash.slice(1)) || studies[0]?.study;
  replace(document.getElementById('studies'), ...studies.map(s => element('li', {}, element('a', {href: '#' + encodeURIComponent(s.study), 'aria-current': s.study === wanted ? 'page' : null},
    s.study, ' ', element('small', {}, count(s.rollouts, 'result'))))));
  if (!studies.length) replace(main, element('p', {}, 'No study is served.'));
  else if (studies.some(s => s.study === wanted) && shown?.study !== wanted) open(wanted);
}

function askForToken() {
  const input = element('input', {type: 'password', name: 'token', autocomplete: 'off', size: 50});
  replace(main, element('section', {}, element('h2', {}, 'Token'), element('p', {}, 'Open the address that fcps serve printed, or give the token of its token file.'),
    element('form', {class: 'row', onsubmit(event) { event.preventDefault(); setToken(input.value); start(); }}, element('label', {}, 'Token', input), element('button', {class: 'main'}, 'Open'))));
}

async function start() {
  if (!takeToken()) { askForToken(); return; }
  try {
    await list();
  } catch (error) {
    if (error.status === 401) askForToken();
    say(error.message, true);
    return;
  }
  listen(change => {
    if (shown?.study === change.study) refresh(shown);
    list().catch(() => {});
  }, state => {
    connection.className = state;
    connection.textContent = state === 'live' ? 'live' : 'connection lost; trying again';
  }).catch(error => { say(error.message, true); askForToken(); });
}

addEventListener('hashchange', () => { if (!location.hash.startsWith('#token=')) list().catch(error => say(error.message, true)); else start(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (shown) refresh(shown); });
start();
