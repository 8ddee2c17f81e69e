// The map: what the policy is expected to earn over any two dimensions of the context, the others by sliders. A click, or the
// arrow keys and Enter, shows the best parameters there.
import {element, label, numbers, replace, say, short, valueAt} from './dom.js';
import {post, slowly, studyPath} from './api.js';
import {act} from './asks.js';

// from low to high, dark to bright: also without colours the order can be seen
const shades = [[48, 18, 89], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function shade(share) {
  const at = Math.min(Math.max(share, 0), 1) * (shades.length - 1), i = Math.min(Math.floor(at), shades.length - 2), t = at - i;
  return shades[i].map((v, k) => Math.round(v + t * (shades[i + 1][k] - v)));
}

// "land 2 (95 %: 1.9 to 2.1)"
function interval(name, mean, deviation) {
  return `${name} ${short(mean)} (95 %: ${short(mean - 1.96 * deviation)} to ${short(mean + 1.96 * deviation)})`;
}

const quantities = {
  reward: {name: 'predicted reward', of: (m, i) => m.rewards[i]},
  deviation: {name: 'its deviation', of: (m, i) => m.deviations[i]},
  failure: {name: 'chance of no outcome', of: (m, i) => (m.chances_of_success[i] === null ? null : 1 - m.chances_of_success[i] * m.chances_of_outcome[i])},
};

export function map(study) {
  const canvas = element('canvas', {width: 640, height: 480, tabindex: 0, role: 'application', 'aria-roledescription': 'map', 'aria-label': 'map of the policy'});
  const scale = element('canvas', {width: 200, height: 8, 'aria-hidden': 'true'}), low = element('span'), high = element('span');
  const caption = element('p', {class: 'soft'});
  const controls = element('div', {class: 'row'}), sliders = element('div', {class: 'row'}), place = element('div', {'aria-live': 'polite'});
  const node = element('section', {'aria-label': 'Map'}, element('h2', {}, 'Map'), controls, sliders,
    element('div', {class: 'map'}, canvas), caption, element('div', {class: 'legend'}, low, scale, high), place);
  const state = {x: null, y: null, quantity: 'reward', at: {}, cursor: null};
  let data = null, grid = null, known = null, timer = null, last = 0, running = null;

  const dimensions = () => [...data.problem.target, ...data.problem.environment];
  const find = name => dimensions().find(d => d.name === name);

  function choice(text, value, options, set) {
    const select = element('select', {onchange: () => set(select.value)}, ...options.map(([v, t]) => element('option', {value: v, selected: v === value}, t)));
    return element('label', {}, text, select);
  }

  function build() {
    const names = dimensions().map(d => [d.name, label(d)]);
    replace(controls,
      choice('across', state.x, names, v => { if (v === state.y) state.y = state.x; state.x = v; build(); ask(true); }),
      names.length > 1 ? choice('up', state.y, names, v => { if (v === state.x) state.x = state.y; state.y = v; build(); ask(true); }) : null,
      choice('shows', state.quantity, Object.entries(quantities).map(([k, q]) => [k, q.name]), v => { state.quantity = v; paint(); }));
    replace(sliders, ...dimensions().filter(d => d.name !== state.x && d.name !== state.y).map(d => {
      const shown = element('span', {}, short(state.at[d.name]));
      const slider = element('input', {type: 'range', min: d.lower, max: d.upper, step: 'any', value: state.at[d.name], 'aria-label': label(d), oninput() {
        state.at[d.name] = Number(slider.value);
        shown.textContent = short(state.at[d.name]);
        ask(true);
      }});
      return element('label', {}, `${label(d)}: `, shown, slider);
    }));
  }

  // at most one request at a time, and not one for every result of a fast run
  function ask(isUrgent) {
    clearTimeout(timer);
    timer = setTimeout(fetchGrid, isUrgent ? 80 : Math.max(0, last + 3000 - Date.now()));
  }

  async function fetchGrid() {
    if (running) { timer = setTimeout(fetchGrid, 200); return; }
    const question = () => { // as it is when its turn comes
      const at = {...state.at};
      delete at[state.x];
      if (state.y) delete at[state.y];
      last = Date.now();
      return post(`${studyPath(study)}/map`, {x: state.x, ...(state.y ? {y: state.y, rows: 24} : {}), at, columns: 32});
    };
    try {
      running = slowly(question);
      grid = await running;
      paint();
    } catch (error) {
      replace(place, element('p', {class: 'soft'}, error.message));
    } finally {
      running = null;
    }
  }

  const share = (d, value) => (d.scale === 'log' ? Math.log(value / d.lower) / Math.log(d.upper / d.lower) : (value - d.lower) / (d.upper - d.lower));

  function range(values) {
    const known_values = values.filter(v => v !== null);
    return [Math.min(...known_values), Math.max(...known_values)];
  }

  function paint() {
    if (!grid) return;
    const columns = grid.x.values.length, rows = grid.y ? grid.y.values.length : 1, q = quantities[state.quantity];
    const values = Array.from({length: columns * rows}, (_, i) => q.of(grid, i)), [least, most] = range(values);
    const image = new ImageData(columns, rows), pen = canvas.getContext('2d');
    values.forEach((v, i) => {
      const c = v === null ? [128, 128, 128] : shade(most > least ? (v - least) / (most - least) : 0.5);
      image.data.set([...c, 255], 4 * ((rows - 1 - Math.floor(i / columns)) * columns + i % columns));
    });
    const small = new OffscreenCanvas(columns, rows);
    small.getContext('2d').putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(small, 0, 0, canvas.width, canvas.height);
    paintTrials(pen);
    paintCursor(pen);
    const span = d => `${label(d)} from ${short(d.lower)} to ${short(d.upper)}`;
    caption.textContent = `${span(find(state.x))}, to the right${state.y ? `; ${span(find(state.y))}, upwards` : ''}. Dots are trials, red ones failed.`;
    low.textContent = short(least);
    high.textContent = short(most);
    const bar = scale.getContext('2d');
    for (let i = 0; i < scale.width; i++) { bar.fillStyle = `rgb(${shade(i / (scale.width - 1))})`; bar.fillRect(i, 0, 1, scale.height); }
    canvas.setAttribute('aria-label', `${q.name} over ${state.x}${state.y ? ` and ${state.y}` : ''}: from ${short(least)} to ${short(most)}. Arrow keys move, Enter shows the best parameters there.`);
  }

  function paintTrials(pen) {
    const x = find(state.x), y = state.y ? find(state.y) : null;
    for (const r of data.rollouts.rollouts) {
      const at = {...r.target, ...r.environment};
      if (!r.used || typeof at[state.x] !== 'number') continue;
      pen.beginPath();
      pen.arc(share(x, at[state.x]) * canvas.width, y ? (1 - share(y, at[state.y])) * canvas.height : canvas.height / 2, 4, 0, 7);
      pen.fillStyle = r.status === 'ok' ? '#fff' : '#ff5a4d';
      pen.strokeStyle = data.suspects.has(r.result) ? '#ff5a4d' : '#000';
      pen.lineWidth = data.suspects.has(r.result) ? 3 : 1.2;
      pen.fill();
      pen.stroke();
    }
  }

  function paintCursor(pen) {
    if (!state.cursor) return;
    const x = state.cursor[0] * canvas.width, y = (1 - state.cursor[1]) * canvas.height;
    pen.strokeStyle = '#fff';
    pen.lineWidth = 3;
    pen.strokeRect(x - 8, y - 8, 16, 16);
    pen.strokeStyle = '#000';
    pen.lineWidth = 1;
    pen.strokeRect(x - 8, y - 8, 16, 16);
  }

  function context() {
    const at = {...state.at};
    at[state.x] = valueAt(find(state.x), state.cursor[0]);
    if (state.y) at[state.y] = valueAt(find(state.y), state.cursor[1]);
    const pick = list => Object.fromEntries(list.map(d => [d.name, d.scale === 'integer' ? Math.round(at[d.name]) : at[d.name]]));
    return {target: pick(data.problem.target), environment: pick(data.problem.environment)};
  }

  async function inspect() {
    const here = context(), p = data.problem;
    paint();
    try {
      const best = await post(`${studyPath(study)}/best`, here);
      const chance = best.chance_of_success * best.chance_of_outcome;
      replace(place, element('h3', {}, 'Here'), element('dl', {},
        element('dt', {}, 'context'), element('dd', {}, numbers({...here.target, ...here.environment}, dimensions())),
        element('dt', {}, 'best parameters'), element('dd', {}, numbers(best.parameters, p.parameters)),
        element('dt', {}, 'reward'), element('dd', {}, `${short(best.predicted_reward)} ± ${short(best.predicted_reward_sd)}`),
        element('dt', {}, 'outcome'), element('dd', {}, best.predicted_outcome ? p.outcome.map(d => interval(d.name, best.predicted_outcome[d.name], best.predicted_outcome_sd[d.name])).join(', ') : '–'),
        element('dt', {}, 'ends well'), element('dd', {}, Number.isFinite(chance) ? `with chance ${short(chance)}` : '–')),
      element('button', {type: 'button', class: 'main', onclick: () => act(`${studyPath(study)}/ask`, here, a => `ask ${a.ask}`)}, 'Ask here'));
    } catch (error) {
      say(error.message, true);
    }
  }

  canvas.addEventListener('click', event => {
    const box = canvas.getBoundingClientRect();
    state.cursor = [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
    inspect();
  });
  canvas.addEventListener('keydown', event => {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (step) {
      const [x, y] = state.cursor ?? [0.5, 0.5];
      state.cursor = [Math.min(Math.max(x + step[0] / 32, 0), 1), Math.min(Math.max(y + step[1] / 24, 0), 1)];
      paint();
    } else if (event.key === 'Enter' || event.key === ' ') {
      state.cursor ??= [0.5, 0.5];
      inspect();
    } else {
      return;
    }
    event.preventDefault();
  });

  return {node, show(next) {
    data = next;
    const shape = JSON.stringify([data.problem.target, data.problem.environment]);
    node.hidden = !dimensions().length || !data.curve.points.length;
    if (node.hidden) return;
    if (shape !== known) {
      known = shape;
      const names = dimensions().map(d => d.name);
      state.x = names[0];
      state.y = names[1] ?? null;
      state.at = Object.fromEntries(dimensions().map(d => [d.name, valueAt(d, 0.5)]));
      build();
      ask(true);
    } else {
      paint();
      ask(false);
    }
  }};
}
