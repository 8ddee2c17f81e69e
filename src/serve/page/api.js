// The server: calls with the token, and the stream of changes. The token comes behind the # of the address, where no browser
// sends it, and is kept for this tab alone.

const key = 'fcps-token';

export function takeToken() {
  const found = /^#token=([0-9a-f]{48})$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(key, found[1]);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(key);
}

export function setToken(token) {
  sessionStorage.setItem(key, token.trim());
}

export class Refused extends Error {
  constructor(status, error) {
    const place = error.file ? `${error.file}${error.line ? `, line ${error.line}` : ''}: ` : '';
    super(place + (error.field ? `${error.field}: ${error.message}` : error.message));
    this.status = status;
    this.code = error.code;
  }
}

async function request(method, path, body, signal) {
  const headers = {Authorization: `Bearer ${sessionStorage.getItem(key)}`};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, {method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body)});
  if (response.ok) return response;
  let error = {code: 'E_HTTP', message: `the server answered ${response.status}`};
  try { error = (await response.json()).error; } catch { /* it is not JSON, so only the status number is shown */ }
  throw new Refused(response.status, error);
}

export const studyPath = study => `/v1/studies/${encodeURIComponent(study)}`;
export const get = async (path, signal) => (await request('GET', path, undefined, signal)).json();
export const post = async (path, body, signal) => (await request('POST', path, body, signal)).json();

function keep(blob, name) {
  const url = URL.createObjectURL(blob), link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Saves the answer under a path, or to a request, as a file.
export const save = async (path, name) => keep(await (await request('GET', path)).blob(), name);
export const saveAnswer = async (path, body, name) => keep(await (await request('POST', path, body)).blob(), name);

// A browser has six connections to a server, for all its tabs together, and each answer that is awaited takes one. So all tabs
// share one stream, and ask the model one after the other. So reading what is stored need not wait.
const chains = new Map();
function alone(name, work) {
  if (navigator.locks) return navigator.locks.request(name, work);
  const next = (chains.get(name) ?? Promise.resolve()).catch(() => {}).then(work); // a browser has locks only with TLS; without, only the calls of this tab wait for each other
  chains.set(name, next);
  return next;
}

// Makes a call that the model answers, which may take long. A hidden tab waits until somebody looks at it.
export async function slowly(call) {
  while (document.hidden) await new Promise(resolve => document.addEventListener('visibilitychange', resolve, {once: true}));
  return alone('fcps-model', call);
}

// Reads the stream for ever. After the connection was lost, it first gets the present state of all studies, so nothing is missed.
async function readStream(onChange, onState) {
  for (let pause = 250; ; pause = Math.min(2 * pause, 5000)) {
    try {
      const reader = (await request('GET', '/v1/changes')).body.pipeThrough(new TextDecoderStream()).getReader();
      onState('live');
      pause = 250;
      for (let rest = ''; ;) {
        const {value, done} = await reader.read();
        if (done) break;
        const parts = (rest + value).split('\n\n');
        rest = parts.pop();
        for (const part of parts) {
          const data = part.split('\n').find(line => line.startsWith('data: '));
          if (data) onChange(JSON.parse(data.slice(6)));
        }
      }
    } catch (error) {
      if (error.status === 401) throw error;
    }
    onState('lost');
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

// Calls onChange({study, sequence}) for every change, and onState('live' | 'lost'), for ever. One tab reads and tells the others;
// when it is closed, another one takes its place.
export function listen(onChange, onState) {
  const others = new BroadcastChannel('fcps-changes');
  let state = null; // state of the stream, in the tab that reads it
  const take = ({change, state: next}) => { if (change) onChange(change); else onState(next); };
  const tell = message => { others.postMessage(message); take(message); };
  others.onmessage = ({data}) => { if (!data.isNew) take(data); else if (state) others.postMessage({state}); };
  others.postMessage({isNew: true});
  return alone('fcps-stream', () => readStream(change => tell({change}), next => { state = next; tell({state}); })).finally(() => others.close());
}
