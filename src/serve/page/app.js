// The page: the list of studies, one study at a time, and the stream of changes that keeps both up to date.
import {get, listen, setToken, studyPath, takeToken} from './api.js';
import {element, replace, say, short} from './dom.js';
import {curve, overview} from './overview.js';
import {asks} from './asks.js';
import {results} from './results.js';
import {map} from './map.js';
import {model} from './model.js';
import {history} from './history.js';

const main = document.getElementById('main'), connection = document.getElementById('connection');
let shown = null; // the study that is shown: its name, its parts, and whether it is being read

// Reads the study and lets its parts show it: first what is stored, with what the model said before; then what it says now,
// which may take it a while. Changes that come meanwhile are read afterwards.
async function refresh(view) {
  if (view.isReading) { view.isStale = true; return; }
  view.isReading = true;
  do {
    view.isStale = false;
    const path = studyPath(view.study);
    const show = more => {
      Object.assign(view.data, more);
      if (view === shown) for (const part of view.parts) part.show(view.data);
    };
    try {
      const [problem, asks, rollouts, events, curve] = await Promise.all(
        ['/problem', '/asks', '/rollouts?limit=10000', '/events?limit=10000', '/curve'].map(part => get(path + part)));
      show({problem, asks, rollouts, events, curve});
      document.title = `${view.study}: ${rollouts.rollouts.length} results – fcps`;
      const [status, {suspects}] = await Promise.all(['', '/suspects'].map(part => get(path + part)));
      show({status, suspects: new Map(suspects.map(s => [s.result, s.surprise]))});
    } catch (error) {
      say(`${view.study}: ${error.message}`, true);
    }
  } while (view.isStale && view === shown);
  view.isReading = false;
}

function open(study) {
  const parts = [overview(), curve(), map(study), asks(study), model(study), history(study), results(study)];
  shown = {study, parts, data: {status: null, suspects: new Map()}, isReading: false, isStale: false};
  replace(main, ...parts.map(part => part.node));
  refresh(shown);
}

async function list() {
  const {studies} = await get('/v1/studies');
  const wanted = decodeURIComponent(location.hash.slice(1)) || studies[0]?.study;
  replace(document.getElementById('studies'), ...studies.map(s => element('li', {}, element('a', {href: '#' + encodeURIComponent(s.study), 'aria-current': s.study === wanted ? 'page' : null},
    s.study, ' ', element('small', {}, `${s.rollouts} result${s.rollouts === 1 ? '' : 's'}${s.best_reward === null ? '' : `, best ${short(s.best_reward)}`}`)))));
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
