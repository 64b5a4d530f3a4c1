// The page: a state, its address, its picture.
import { ask, Failure, Pump } from './ask.js';
import { begin, decode, encode } from './state.js';
import { Plane } from './plane.js';
import { Panel } from './panel.js';
import { element, show as showCards, table } from './cards.js';
import { Form } from './model.js';

const $ = id => document.getElementById(id);

const about = await (await ask('api/about')).json();
Object.assign(begin, about.state, { drawn: [], columns: [] });
delete begin.cells;
delete begin.draft;

let state = decode(location.hash);
const tables = new Map([['', about.table]]);

const steps = [
  { kernel: 'rbf(gamma=0.1)', map: 'f1', dim: 32 },
  { kernel: 'rbf(gamma=0.1)', map: 'f2', dim: 32 },
  { kernel: 'rbf(gamma=0.1)', map: 'f1', dim: 128 },
  { kernel: 'rbf(gamma=4)', map: 'f1', dim: 64 },
].map(s => ({ data: 'rings', n: 1000, noise: 0, seed: 1, drawn: [], columns: [], select: 'uniform', learner: 'svm', penalty: 100, bias: false, ...s }));
steps.push({
  data: 'drawn', kernel: 'rbf(gamma=1)', map: 'f2', dim: 16, columns: [], learner: 'svm', penalty: 100, bias: false,
  drawn: [[-0.6, 0.5, 0], [-0.2, 0.7, 0], [0.3, 0.6, 0], [-0.7, -0.1, 0], [0.1, -0.05, 1], [0.5, 0.05, 1], [0.7, -0.5, 1], [-0.1, -0.6, 1],
    [-0.5, -0.55, 0], [0.35, -0.4, 1]],
});

const plane = new Plane($('plane'), {
  draw(x, y, label) {
    if (state.drawn.length >= about.max_drawn) { fail(new Failure(`There are ${about.max_drawn} points drawn, as many as there may be.`)); return; }
    const point = [x, y].map(v => Number(v.toPrecision(6)));
    change({ drawn: [...state.drawn, [...point, label]] }, false);
    say(`Point of class ${name(label)} drawn at ${point[0].toPrecision(3)}, ${point[1].toPrecision(3)}.`);
  },
  erase(x, y, reach) {
    let best = -1, least = reach;
    state.drawn.forEach((p, i) => {
      const d = Math.hypot(p[0] - x, p[1] - y);
      if (d < least) { best = i; least = d; }
    });
    if (best >= 0) { change({ drawn: state.drawn.filter((_, i) => i !== best) }, false); say('Point erased.'); } else say('There is no point drawn here.');
  },
  tell(text, aloud) { $('read').textContent = text; if (aloud) say(text); },
});

const name = label => (plane.answer?.classes || ['-1', '1'])[label];

let saying = 0;
function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => { $('say').textContent = text; }, 120);
}

function fail(e) {
  $('fault').textContent = e.message;
  $('fault').hidden = false;
  document.body.dataset.state = 'fault';
  if (!(e instanceof Failure)) throw e;
}

const pump = new Pump(() => Math.min(192, Math.max(96, Math.round($('plane').clientWidth / 3.5))), (answer, asked, took) => {
  $('fault').hidden = true;
  const missing = answer.faults.fit;
  if (missing) { $('fault').textContent = missing; $('fault').hidden = false; }
  $('lesson').textContent = answer.lesson;
  $('why').textContent = answer.why;
  plane.drawn = asked.drawn;
  plane.show(answer);
  showCards(answer, asked);
  $('name-0').textContent = answer.classes[0];
  $('name-1').textContent = answer.classes[1];
  $('classes').replaceChildren(...answer.classes.map((c, i) => element('span', '●■▲◆⬟⬢'[i] + ' ' + c, 'c' + i)));
  $('axes').textContent = `Across: ${answer.axes[0]}. Up: ${answer.axes[1]}. Rings are landmarks; points that are wrong have a dark rim. Kernel: ${answer.kernel}.`;
  $('time').textContent = `${answer.n} points, ${Math.round(took)} ms, ${asked.draft ? 'while it moves' : 'at rest'}.`;
  document.body.dataset.state = asked.draft ? 'draft' : 'rest';
  document.body.dataset.took = Math.round(took);
  if (!asked.draft) {
    drawnTable();
    if (answer.fit) say(`${answer.n} points. Margin of F1 ${side(answer.f1)}, of F2 ${side(answer.f2)}. ${Math.round(1000 * answer.fit.error) / 10} percent wrong.`);
  }
}, e => {
  plane.drawn = state.drawn;
  plane.answer = null;
  if (state.data === 'drawn') plane.view = [-1.1, -1.1, 1.1, 1.1];
  plane.paint();
  drawnTable();
  fail(e);
});

const side = s => s ? s.separable ? s.margin.toPrecision(2) : 'none' : 'not there';

function drawnTable() {
  table($('t-drawn'), state.drawn.length ? ['drawn', 'x', 'y', 'class', ''] : [], state.drawn.map((p, i) => {
    const b = Object.assign(element('button', 'Erase'), { type: 'button' });
    b.setAttribute('aria-label', `Erase point ${i + 1}`);
    b.addEventListener('click', () => change({ drawn: state.drawn.filter((_, j) => j !== i) }, true));
    return [i + 1, p[0].toPrecision(3), p[1].toPrecision(3), name(p[2]), b];
  }));
}

const panel = new Panel(about, change, load);

// change takes in a new part of the state. Still says that the hand has come to rest.
function change(part, still) {
  state = { ...state, ...part };
  document.body.dataset.state = 'busy';
  refresh();
  pump.move(state, still);
  clearTimeout(change.timer);
  change.timer = setTimeout(() => { if (view === 'lab') history.replaceState(null, '', address()); }, still ? 0 : 200);
}

function refresh() {
  panel.show(state, tables.get(state.table));
  for (const b of document.querySelectorAll('[data-step]')) {
    const step = steps[b.dataset.step];
    b.setAttribute('aria-pressed', String(Object.entries(step).every(([k, v]) => JSON.stringify(state[k]) === JSON.stringify(v))));
  }
}

async function load(file) {
  try {
    const answer = await ask('api/table?name=' + encodeURIComponent(file.name), {
      method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: file,
    });
    const got = await answer.json();
    tables.set(got.id, got);
    change({ data: 'table', table: got.id, columns: [], drawn: [], n: Math.min(2000, got.rows), kernel: 'rbf' }, true);
  } catch (e) {
    fail(e);
  }
}

for (const b of document.querySelectorAll('[data-step]')) b.addEventListener('click', () => change(structuredClone(steps[b.dataset.step]), true));
for (const r of document.querySelectorAll('[name=tool]')) r.addEventListener('change', () => { plane.tool = r.value; });
$('undo').addEventListener('click', () => change({ drawn: state.drawn.slice(0, -1) }, true));
$('clear').addEventListener('click', () => change({ drawn: [] }, true));
$('copy').addEventListener('click', async () => {
  history.replaceState(null, '', address());
  try {
    await navigator.clipboard.writeText(location.href);
    $('copy').textContent = 'Copied';
  } catch {
    $('copy').textContent = 'Copy the address';
  }
  setTimeout(() => { $('copy').textContent = 'Copy link'; }, 1500);
});

// The view is the lab or the model, which the address says as it says the rest.
let form = null, view = 'lab', row = null;
const address = () => view === 'model'
  ? '#view=model' + (row?.some(v => v !== null) ? '&row=' + encodeURIComponent(JSON.stringify(row)) : '') : about.model ? encode(state).replace('#', '#view=lab&') : encode(state);

async function look(next) {
  view = next;
  $('lab').hidden = view !== 'lab';
  $('model').hidden = view !== 'model';
  for (const v of ['lab', 'model']) $('tab-' + v).setAttribute('aria-pressed', String(v === view));
  if (view === 'lab') { change({}, true); return; }
  if (!form) {
    const described = await (await ask('api/model')).json();
    form = new Form(described, values => { row = values; history.replaceState(null, '', address()); });
    $('report').src = 'report';
  }
  form.fill(row);
  form.ask();
}

function arrive() {
  const given = new URLSearchParams(location.hash.slice(1));
  const wanted = about.model && (given.get('view') ?? 'model') === 'model' ? 'model' : 'lab';
  if (wanted === 'lab') state = decode(location.hash);
  else {
    try { row = JSON.parse(given.get('row')); } catch { row = null; }
    if (!Array.isArray(row)) row = null;
  }
  look(wanted).catch(fail);
}

if (about.model) {
  $('tabs').hidden = false;
  $('tab-model').textContent = about.model;
  for (const v of ['lab', 'model']) $('tab-' + v).addEventListener('click', () => look(v).catch(fail));
}
addEventListener('hashchange', arrive);
arrive();
