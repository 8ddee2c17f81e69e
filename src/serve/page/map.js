// The map: what the policy is expected to earn over any two dimensions of the context, the others by sliders. A click, or the
// arrow keys and Enter, shows the best parameters there.
import {amount, colour, element, isNumber, label, replace, select, short, whenSeen, within} from './dom.js';
import {post, slowly, studyPath} from './api.js';
import {shareOf, ticksOf, valueAt, wordsOf} from './scale.js';

// Colours from low to high. The order can be seen without colours, too: rewards go from dark to bright, deviations from bright to dark.
const rising = [[48, 18, 89], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const falling = [[255, 247, 236], [253, 212, 158], [252, 141, 89], [215, 48, 31], [127, 0, 0]];
const quantities = {
  reward: {name: 'predicted reward', shades: rising, of: (m, i) => m.rewards[i], text: (m, i) => within(m.rewards[i], m.deviations[i])},
  deviation: {name: 'deviation of a trial from it', shades: falling, of: (m, i) => m.deviations[i]},
  failure: {name: 'chance of no outcome', shades: falling, of: (m, i) => (m.chances_of_success[i] === null ? null : 1 - m.chances_of_success[i] * m.chances_of_outcome[i])},
  limits: {name: 'chance that all limits are kept', shades: rising, of: (m, i) => m.chances_of_limits?.[i] ?? null},
};
const COLUMNS = 24, ROWS = 18, LEFT = 56, BOTTOM = 44, TOP = 8, RIGHT = 14; // points of the grid; pixels beside the field

function shade(shades, share) {
  const at = Math.min(Math.max(share, 0), 1) * (shades.length - 1), i = Math.min(Math.floor(at), shades.length - 2), t = at - i;
  return shades[i].map((v, k) => Math.round(v + t * (shades[i + 1][k] - v)));
}

export function map(view) {
  const canvas = element('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'map', 'aria-label': 'map of the policy'});
  const scale = element('canvas', {width: 200, height: 8, 'aria-hidden': 'true'}), low = element('span'), high = element('span');
  const caption = element('p', {class: 'soft'}), readout = element('p', {class: 'readout', 'aria-live': 'polite'}), computing = element('p', {class: 'computing', role: 'status', hidden: true}, 'computing…');
  const controls = element('div', {class: 'row'}), sliders = element('div', {class: 'row'});
  const node = element('section', {'aria-label': 'Map'}, element('h2', {}, 'Map'), controls, sliders,
    element('div', {class: 'map'}, canvas, computing), readout, element('div', {class: 'legend'}, low, scale, high), caption);
  const state = {x: null, y: null, quantity: 'reward', at: {}, cursor: null};
  let data = null, grid = null, known = null, timer = null, last = 0, running = null, image = null, isSeen = false, isStale = false;

  const dimensions = () => [...data.problem.target, ...data.problem.environment];
  const find = name => dimensions().find(d => d.name === name);
  const wanted = () => Math.max(0, ...Object.values(data.problem.limits ?? {}).map(l => l.chance ?? 0)); // the largest required chance of a limit

  function build() {
    const names = dimensions().map(d => [d.name, label(d)]), shown = Object.entries(quantities).filter(([k]) => k !== 'limits' || data.problem.limits);
    replace(controls,
      select('across', state.x, names, v => { if (v === state.y) state.y = state.x; state.x = v; build(); ask(true); }),
      names.length > 1 ? select('up', state.y, names, v => { if (v === state.x) state.x = state.y; state.y = v; build(); ask(true); }) : null,
      select('shows', state.quantity, shown.map(([k, q]) => [k, q.name]), v => { state.quantity = v; paint(); }));
    replace(sliders, ...dimensions().filter(d => d.name !== state.x && d.name !== state.y).map(d => {
      const set = value => { state.at[d.name] = value; ask(true); };
      if (d.choices) return select(label(d), state.at[d.name], wordsOf(d).map(w => [w, w]), set);
      const text = element('span', {}, short(state.at[d.name]));
      const slider = element('input', {type: 'range', min: 0, max: 1, step: 'any', value: shareOf(d, state.at[d.name]), 'aria-label': label(d), 'aria-valuetext': short(state.at[d.name]), oninput() {
        set(valueAt(d, Number(slider.value)));
        text.textContent = short(state.at[d.name]);
        slider.setAttribute('aria-valuetext', text.textContent);
      }});
      return element('label', {}, element('span', {}, `${label(d)}: `, text), slider);
    }));
  }

  // at most one request at a time, so that a fast run does not cause one for each result
  function ask(isUrgent) {
    clearTimeout(timer);
    timer = setTimeout(fetchGrid, isUrgent ? 80 : Math.max(0, last + 3000 - Date.now()));
  }

  async function fetchGrid() {
    isStale = !isSeen;
    if (isStale) return;
    if (running) { timer = setTimeout(fetchGrid, 200); return; }
    const points = (name, most) => { const d = find(name); return d.choices ? wordsOf(d).length : most; };
    const question = () => { // made when the request is sent, with the choices of that moment
      const at = {...state.at};
      delete at[state.x];
      if (state.y) delete at[state.y];
      last = Date.now();
      return post(`${studyPath(view.study)}/map`, {x: state.x, columns: points(state.x, COLUMNS), ...(state.y ? {y: state.y, rows: points(state.y, ROWS)} : {}), at});
    };
    try {
      computing.hidden = false;
      running = slowly(question);
      grid = await running;
      paint();
    } catch (error) {
      replace(readout, error.message);
    } finally {
      running = null;
      computing.hidden = true;
    }
  }

  /* -- Painting -- */

  // The field in pixels of the screen, and shares of it.
  function frame() {
    const width = canvas.clientWidth || 600, height = Math.round(width * 0.72), ratio = devicePixelRatio || 1;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) Object.assign(canvas, {width: width * ratio, height: height * ratio});
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return {pen, width, height, left: LEFT, top: TOP, wide: width - LEFT - RIGHT, tall: height - TOP - BOTTOM};
  }

  const share = (dimension, name, at) => (dimension && (isNumber(at[name]) || dimension.choices) ? shareOf(dimension, at[name]) : 0.5);

  function paint() {
    if (!grid) return;
    const columns = grid.x.values.length, rows = grid.y ? grid.y.values.length : 1, q = quantities[state.quantity];
    const values = Array.from({length: columns * rows}, (_, i) => q.of(grid, i)), ranged = values.filter(isNumber), least = Math.min(...ranged), most = Math.max(...ranged);
    const pixels = new ImageData(columns, rows), area = frame();
    values.forEach((v, i) => pixels.data.set([...(isNumber(v) ? shade(q.shades, most > least ? (v - least) / (most - least) : 0.5) : [128, 128, 128]), 255], 4 * ((rows - 1 - Math.floor(i / columns)) * columns + i % columns)));
    image = new OffscreenCanvas(columns, rows);
    image.getContext('2d').putImageData(pixels, 0, 0);
    paintField(area, columns, rows);
    paintAxes(area);
    paintCursor(area);
    const hasUnsafe = (grid.chances_of_limits ?? []).some(chance => isNumber(chance) && chance < wanted());
    caption.textContent = `Dots are trials, red ones failed, those with a red ring are suspects.${hasUnsafe ? ' Hatched: a limit is kept with less chance than is asked for.' : ''}`;
    replace(low, ranged.length ? short(least) : '–');
    replace(high, ranged.length ? short(most) : '–');
    const bar = scale.getContext('2d');
    for (let i = 0; i < scale.width; i++) { bar.fillStyle = `rgb(${shade(q.shades, i / (scale.width - 1))})`; bar.fillRect(i, 0, 1, scale.height); }
    canvas.setAttribute('aria-label', `${q.name} over ${state.x}${state.y ? ` and ${state.y}` : ''}: from ${low.textContent} to ${high.textContent}. Arrow keys move, Enter shows the best parameters there.`);
    read();
  }

  // Every point of the grid is one cell, whose middle is the point: nothing is drawn that was not computed.
  function paintField({pen, left, top, wide, tall}, columns, rows) {
    const over = (n, size) => (n > 1 ? size / (n - 1) / 2 : 0), x = over(columns, wide), y = over(rows, tall);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, wide, tall);
    pen.clip();
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, left - x, top - y, wide + 2 * x, tall + 2 * y);
    pen.strokeStyle = 'rgb(255 255 255 / 70%)';
    pen.lineWidth = 1;
    pen.beginPath();
    (grid.chances_of_limits ?? []).forEach((chance, i) => {
      if (!isNumber(chance) || chance >= wanted()) return;
      const w = 2 * x || wide, h = 2 * y || tall, cx = left - x + i % columns * w, cy = top + tall + y - (Math.floor(i / columns) + 1) * h;
      for (let k = 0; k < 2; k++) { pen.moveTo(cx + k * w / 2, cy + h); pen.lineTo(cx + (k + 1) * w / 2, cy); }
    });
    pen.stroke();
    const dx = find(state.x), dy = state.y ? find(state.y) : null;
    for (const r of data.rollouts.rollouts) {
      const at = {...r.target, ...r.environment}, isDoubted = data.suspects.has(r.result);
      if (!r.used || at[state.x] === null || at[state.x] === undefined) continue;
      pen.beginPath();
      pen.arc(left + share(dx, state.x, at) * wide, top + (1 - share(dy, state.y, at)) * tall, 4, 0, 7);
      pen.fillStyle = r.status === 'ok' ? '#fff' : '#ff5a4d';
      pen.strokeStyle = isDoubted ? '#ff5a4d' : '#000';
      pen.lineWidth = isDoubted ? 3 : 1.2;
      pen.fill();
      pen.stroke();
    }
    pen.restore();
  }

  function paintAxes({pen, left, top, wide, tall, height}) {
    const x = find(state.x), y = state.y ? find(state.y) : null;
    pen.strokeStyle = pen.fillStyle = colour('soft');
    pen.lineWidth = 1;
    pen.font = '12px system-ui, sans-serif';
    pen.strokeRect(left, top, wide, tall);
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    for (const tick of ticksOf(x, wide / 80)) {
      pen.fillRect(left + tick.at * wide - 0.5, top + tall, 1, 5);
      pen.fillText(tick.text, left + tick.at * wide, top + tall + 8, 80);
    }
    pen.fillText(label(x), left + wide / 2, height - 16, wide);
    if (!y) return;
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    for (const tick of ticksOf(y, tall / 50)) {
      pen.fillRect(left - 5, top + (1 - tick.at) * tall - 0.5, 5, 1);
      pen.fillText(tick.text, left - 8, top + (1 - tick.at) * tall, LEFT - 24);
    }
    pen.save();
    pen.translate(9, top + tall / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = 'center';
    pen.fillText(label(y), 0, 0, tall);
    pen.restore();
  }

  function paintCursor({pen, left, top, wide, tall}) {
    if (!state.cursor) return;
    const x = left + state.cursor[0] * wide, y = top + (1 - state.cursor[1]) * tall;
    for (const [style, width] of [['#fff', 3], ['#000', 1]]) {
      pen.strokeStyle = style;
      pen.lineWidth = width;
      pen.strokeRect(x - 8, y - 8, 16, 16);
    }
  }

  /* -- Looking and choosing -- */

  // What the map says at a place: under the pointer, or at the cursor of the keyboard.
  function read(place = state.cursor) {
    if (!place || !grid) return;
    const nearest = (axis, part) => (axis ? Math.round(part * (axis.values.length - 1)) : 0), i = nearest(grid.x, place[0]), j = nearest(grid.y, place[1]);
    const k = j * grid.x.values.length + i, q = quantities[state.quantity], value = q.of(grid, k);
    const at = [[state.x, grid.x.values[i]], ...(grid.y ? [[state.y, grid.y.values[j]]] : [])];
    readout.textContent = `${at.map(([name, v]) => `${name} ${amount(v, find(name))}`).join(', ')}: ${q.name} ${isNumber(value) ? (q.text ?? ((m, n) => short(q.of(m, n))))(grid, k) : '–'}`;
  }

  function placeOf(event) {
    const box = canvas.getBoundingClientRect(), part = (v, size) => Math.min(Math.max(v / size, 0), 1);
    return [part(event.clientX - box.left - LEFT, box.width - LEFT - RIGHT), 1 - part(event.clientY - box.top - TOP, box.height - TOP - BOTTOM)];
  }

  function choose() {
    const at = {...state.at}, pick = list => Object.fromEntries(list.map(d => [d.name, at[d.name]]));
    at[state.x] = valueAt(find(state.x), state.cursor[0]);
    if (state.y) at[state.y] = valueAt(find(state.y), state.cursor[1]);
    for (const d of dimensions()) if (isNumber(at[d.name])) at[d.name] = Number(at[d.name].toPrecision(3)); // as exact as a finger
    paint();
    view.showBest({target: pick(data.problem.target), environment: pick(data.problem.environment)});
  }

  canvas.addEventListener('pointermove', event => read(placeOf(event)));
  canvas.addEventListener('pointerleave', () => read());
  canvas.addEventListener('click', event => { state.cursor = placeOf(event); choose(); });
  canvas.addEventListener('keydown', event => {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (step) {
      const [x, y] = state.cursor ?? [0.5, 0.5];
      state.cursor = [Math.min(Math.max(x + step[0] / (COLUMNS - 1), 0), 1), Math.min(Math.max(y + step[1] / (ROWS - 1), 0), 1)];
      paint();
    } else if (event.key === 'Enter' || event.key === ' ') {
      state.cursor ??= [0.5, 0.5];
      choose();
    } else {
      return;
    }
    event.preventDefault();
  });
  whenSeen(canvas, seen => { isSeen = seen; if (isSeen && isStale) ask(true); });
  new ResizeObserver(() => paint()).observe(canvas.parentElement);

  return {node, show(next) {
    data = next;
    const shape = JSON.stringify([data.problem.target, data.problem.environment, data.problem.limits]);
    node.hidden = !dimensions().length || !data.curve.points.length;
    if (node.hidden) return;
    if (shape !== known) {
      known = shape;
      const names = dimensions().map(d => d.name);
      Object.assign(state, {x: names[0], y: names[1] ?? null, at: Object.fromEntries(dimensions().map(d => [d.name, valueAt(d, d.choices ? 0 : 0.5)]))});
      build();
      ask(true);
    } else {
      paint();
      ask(false);
    }
  }};
}
