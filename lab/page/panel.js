// The settings: each control shows a part of the state and changes it.

const $ = id => document.getElementById(id);

const log = (low, high) => ({
  to: v => Math.round(100 * Math.log(v / low) / Math.log(high / low)),
  from: t => low * (high / low) ** (t / 100),
});

const names = {
  f1: 'F1: similarities', f2: 'F2: at right angles', f3: 'F3: F2, projected', fourier: 'random Fourier', none: 'none: x and y',
  circle: 'circle', xor: 'XOR', rings: 'rings', moons: 'moons', interleaved: 'interleaved on a line', interval: 'interval on a line',
  halfspace: 'halfspace', drawn: 'drawn by hand', table: 'table',
  uniform: 'uniformly', independent: 'uniformly, with repetition', kmeans: 'by k-means', greedy: 'greedily', rpcholesky: 'by what is left (RPCholesky)',
};

// Families of kernels, their parameters and what these range over.
const families = {
  rbf: { text: 'Gaussian (rbf)', parameters: [['gamma', 0.01, 100, 'log', 0.1]] },
  laplace: { text: 'Laplacian', parameters: [['gamma', 0.01, 100, 'log', 1]] },
  poly: { text: 'polynomial', parameters: [['degree', 1, 12, 'whole', 3], ['coef', 0, 4, 'plain', 1], ['gamma', 0.01, 100, 'log', 1]] },
  linear: { text: 'linear', parameters: [] },
  cosine: { text: 'cosine', parameters: [] },
  sigmoid: { text: 'sigmoid', parameters: [['gamma', 0.01, 100, 'log', 0.5], ['coef', -2, 2, 'plain', 0]] },
};

// read returns the family and parameters of a kernel's text, or nothing for one that is
// none of these.
export function readKernel(text) {
  const m = text.replace(/\s/g, '').match(/^(\w+)(?:\(([^()]*)\))?$/);
  const family = m && families[m[1]];
  if (!family) return null;
  const values = Object.fromEntries(family.parameters.map(p => [p[0], p[4]]));
  let open = m[1] === 'rbf' && !m[2];
  for (const pair of (m[2] || '').split(',').filter(Boolean)) {
    const [key, value] = pair.split('=');
    if (!(key in values) || !Number.isFinite(Number(value)) || value === '') return null;
    values[key] = Number(value);
  }
  return { name: m[1], values, open };
}

export const writeKernel = (name, values) => {
  const list = families[name].parameters.map(p => p[0] + '=' + Number(values[p[0]].toPrecision(3)));
  return list.length ? `${name}(${list.join(',')})` : name;
};

const option = (value, text) => new Option(text ?? names[value] ?? value, value);

export class Panel {
  // change is told of a new part of the state, and whether the hand still moves.
  constructor(about, change, load) {
    Object.assign(this, { about, change, state: null });
    this.count = log(10, about.max_points);
    this.dims = log(1, about.max_dim);
    $('data').append(...about.data.map(d => option(d)), option('drawn'), option('table'));
    $('map').append(...about.maps.map(m => option(m)));
    $('select').append(...about.selections.map(s => option(s)));
    $('family').append(...Object.entries(families).map(([k, f]) => option(k, f.text)), option('other', 'other, as text'));
    const groups = [['on the map’s features', false], ['in the kernel’s own space', true]];
    for (const [text, kernel] of groups) {
      const g = document.createElement('optgroup');
      g.label = text;
      g.append(...about.learners.filter(l => l.kernel === kernel).map(l => option(l.name, l.name)));
      $('learner').append(g);
    }
    const pick = (id, part) => $(id).addEventListener('change', () => change({ [part]: $(id).value }, true));
    for (const id of ['map', 'select']) pick(id, id);
    $('learner').addEventListener('change', () => {
      const l = about.learners.find(l => l.name === $('learner').value);
      const next = { learner: l.name };
      if (l.penalty === 'lambda') next.penalty = 1e-3;
      if (l.penalty === 'C') next.penalty = 100;
      change(next, true);
    });
    $('data').addEventListener('change', () => {
      const next = { data: $('data').value };
      if (next.data === 'interleaved') next.n = 10;
      else if (this.state.data === 'interleaved') next.n = 1000;
      change(next, true);
    });
    this.slide('n', v => ({ n: Math.round(this.count.from(v)) }));
    this.slide('noise', v => ({ noise: v }));
    this.slide('dim', v => ({ dim: Math.round(this.dims.from(v)) }));
    this.slide('project', v => ({ project: v }));
    this.slide('penalty', v => ({ penalty: Number((10 ** v).toPrecision(3)) }));
    this.slide('error', v => ({ error: v }));
    this.slide('confidence', v => ({ confidence: v }));
    $('seed').addEventListener('change', () => change({ seed: Math.max(0, Math.min(4294967295, Math.round(Number($('seed').value) || 0))) }, true));
    $('bias').addEventListener('change', () => change({ bias: $('bias').checked }, true));
    $('kernel').addEventListener('change', () => change({ kernel: $('kernel').value.trim() }, true));
    $('family').addEventListener('change', () => {
      const f = families[$('family').value];
      if (!f) { $('kernel').focus(); return; }
      change({ kernel: writeKernel($('family').value, Object.fromEntries(f.parameters.map(p => [p[0], p[4]]))) }, true);
    });
    $('file').addEventListener('change', () => { if ($('file').files[0]) load($('file').files[0]); });
    for (const i of [0, 1]) {
      $('column-' + i).addEventListener('change', () => {
        const chosen = [$('column-0').value, $('column-1').value];
        if ($('column-' + i).value === '') change({ columns: [] }, true);
        else change({ columns: chosen.map((c, j) => c || this.table.columns[j] || this.table.columns[0]) }, true);
      });
    }
    $('controls').addEventListener('submit', e => e.preventDefault());
  }

  slide(id, part) {
    $(id).addEventListener('input', () => this.change(part(Number($(id).value)), false));
    $(id).addEventListener('change', () => this.change({}, true));
  }

  // show puts a state into the controls.
  show(state, table) {
    const was = this.state;
    this.state = state;
    this.table = table;
    const set = (id, v) => { if ($(id) !== document.activeElement || $(id).type !== 'range') $(id).value = v; };
    set('data', state.data);
    set('n', this.count.to(state.n));
    set('noise', state.noise);
    set('dim', this.dims.to(state.dim));
    set('project', state.project);
    set('penalty', Math.log10(state.penalty));
    set('error', state.error);
    set('confidence', state.confidence);
    set('seed', state.seed);
    set('map', state.map);
    set('select', state.select);
    set('learner', state.learner);
    $('bias').checked = state.bias;
    if ($('kernel') !== document.activeElement) $('kernel').value = state.kernel;
    const say = (id, text) => { $('o-' + id).textContent = text; if ($(id)) $(id).setAttribute('aria-valuetext', text); };
    say('n', state.n);
    say('noise', Math.round(100 * state.noise) + '%');
    say('dim', state.dim);
    say('project', state.project);
    say('penalty', state.penalty);
    say('error', Math.round(100 * state.error) + '%');
    say('confidence', Math.round(100 * state.confidence) + '%');
    this.kernel(state, was);
    const learner = this.about.learners.find(l => l.name === state.learner);
    const shown = {
      table: state.data === 'table', many: state.data !== 'drawn', made: state.data !== 'drawn' && state.data !== 'table',
      f3: state.map === 'f3' && !learner?.kernel, penalty: !!learner?.penalty,
    };
    for (const e of document.querySelectorAll('[data-for]')) e.hidden = !shown[e.dataset.for];
    $('l-penalty').textContent = learner?.penalty || '';
    $('map').disabled = !!learner?.kernel;
    $('l-dim').textContent = state.map === 'fourier' ? 'features, and landmarks of F1 and F2' : 'landmarks';
    this.columns(state, table);
  }

  columns(state, table) {
    const key = JSON.stringify(table?.columns);
    if (this.shown !== key) {
      this.shown = key;
      for (const i of [0, 1]) {
        const list = (table?.columns || []).map(c => option(c, c));
        $('column-' + i).replaceChildren(option('', `principal ${i + 1}`), ...list);
      }
    }
    for (const i of [0, 1]) $('column-' + i).value = state.columns[i] || '';
    $('notes').textContent = state.data === 'table' && table ? [`${table.name}: ${table.rows} rows`, ...table.notes || []].join('; ') : '';
  }

  kernel(state, was) {
    const read = readKernel(state.kernel);
    $('family').value = read ? read.name : 'other';
    const key = read ? read.name : '';
    if (!was || this.family !== key) {
      this.family = key;
      $('parameters').replaceChildren(...(read ? families[read.name].parameters : []).map(p => this.parameter(p)));
    }
    if (!read) return;
    for (const [name, low, high, kind] of families[read.name].parameters) {
      const input = $('p-' + name), v = read.values[name], text = read.open ? 'from the data' : String(v);
      if (input !== document.activeElement) input.value = kind === 'log' ? log(low, high).to(v) : v;
      $('o-p-' + name).textContent = text;
      input.setAttribute('aria-valuetext', text);
    }
  }

  parameter([name, low, high, kind]) {
    const label = document.createElement('label'), out = document.createElement('output'), input = document.createElement('input');
    Object.assign(input, { type: 'range', id: 'p-' + name, min: kind === 'log' ? 0 : low, max: kind === 'log' ? 100 : high,
      step: kind === 'plain' ? 0.1 : 1 });
    out.id = 'o-p-' + name;
    label.htmlFor = input.id;
    label.append(name + ' ', out, input);
    input.addEventListener('input', () => {
      const read = readKernel(this.state.kernel);
      if (!read) return;
      read.values[name] = kind === 'log' ? log(low, high).from(Number(input.value)) : Number(input.value);
      this.change({ kernel: writeKernel(read.name, read.values) }, false);
    });
    input.addEventListener('change', () => this.change({}, true));
    return label;
  }
}
