// The form of a model: a row by hand, and what the model says of it and why.
import { ask } from './ask.js';
import { element, number, table } from './cards.js';

const $ = id => document.getElementById(id);

const hints = {
  text: 'One text.', items: 'Items, with commas between them.', numbers: 'Numbers, with blanks or commas between them.',
  indexed: 'Numbers by index, such as 3:1 11:0.5, with increasing indices.',
};

export class Form {
  // keep is told of the row, for the address.
  constructor(about, keep) {
    Object.assign(this, { about, keep, turn: 0, abort: null, timer: 0 });
    this.inputs = about.form === 'columns' ? about.fields.map((f, i) => this.field(f, i)) : [this.area()];
    const left = about.left_out ? ` ${about.left_out} more columns have no field, and are missing.` : '';
    $('try-note').textContent = about.form === 'columns'
      ? `The row that ${about.name} is asked about; an empty field is missing.${left}` : hints[about.form];
    $('fields').replaceChildren(...this.inputs.map(i => i.closest('label')));
    $('reset').addEventListener('click', () => { this.inputs.forEach(i => { i.value = i.dataset.begin; }); this.ask(); });
    $('try').addEventListener('submit', e => { e.preventDefault(); this.ask(); });
    $('try').addEventListener('input', () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.ask(), 120); });
  }

  field(f, i) {
    const label = element('label', f.name + ' '), input = element('input');
    Object.assign(input, { type: 'text', value: f.value, autocomplete: 'off', spellcheck: false });
    if (f.number) input.inputMode = 'decimal';
    input.dataset.begin = f.value;
    if (f.categories?.length) {
      const list = element('datalist');
      list.id = 'list-' + i;
      list.append(...f.categories.map(c => new Option(c, c)));
      input.setAttribute('list', list.id);
      label.append(list);
    }
    label.append(input);
    return input;
  }

  area() {
    const label = element('label', 'row '), input = element('textarea');
    input.rows = 5;
    input.dataset.begin = '';
    label.append(input);
    return input;
  }

  // row returns what was typed, as the server takes it.
  row() {
    if (this.about.form !== 'columns') return { text: this.inputs[0].value };
    const columns = {};
    this.about.fields.forEach((f, i) => {
      const text = this.inputs[i].value.trim();
      if (text === '') columns[f.name] = null;
      else columns[f.name] = f.number && Number.isFinite(Number(text)) ? Number(text) : text;
    });
    return { columns };
  }

  values() { return this.inputs.map(i => i.value === i.dataset.begin ? null : i.value); }

  fill(values) { this.inputs.forEach((input, i) => { input.value = values?.[i] ?? input.dataset.begin; }); }

  async ask() {
    this.keep(this.values());
    this.abort?.abort();
    this.abort = new AbortController();
    document.body.dataset.model = 'busy';
    try {
      const answer = await ask('api/try', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(this.row()), signal: this.abort.signal,
      });
      this.show(await answer.json());
      $('model-fault').hidden = true;
      document.body.dataset.model = 'rest';
    } catch (e) {
      if (e.name === 'AbortError') return;
      $('model-fault').textContent = e.message;
      $('model-fault').hidden = false;
      document.body.dataset.model = 'fault';
    }
  }

  show(a) {
    $('said').textContent = typeof a.prediction === 'number' ? number(a.prediction) : a.prediction;
    const classes = this.about.task === 'regress' ? [] : this.about.classes;
    table($('t-classes'), classes.length ? a.probabilities ? ['class', 'probability', '', 'score'] : ['class', 'score'] : [], classes.map((c, i) => {
      if (!a.probabilities) return [c, number(a.scores[i])];
      const meter = element('meter');
      Object.assign(meter, { min: 0, max: 1, value: a.probabilities[i] });
      meter.setAttribute('aria-label', `probability of ${c}`);
      return [c, Number((100 * a.probabilities[i]).toPrecision(3)) + '%', meter, number(a.scores[i])];
    }));
    $('said-notes').replaceChildren(...(a.notes || []).map(n => element('p', n, 'small')));
    const most = Math.max(1e-300, ...a.columns.map(c => Math.abs(c.change)));
    table($('t-columns'), a.columns.length ? ['column', 'value', 'change', ''] : [], a.columns.map(c => {
      const meter = element('meter');
      Object.assign(meter, { min: 0, max: 1, value: Math.abs(c.change) / most });
      meter.className = c.change < 0 ? 'against' : 'for';
      meter.setAttribute('aria-hidden', 'true');
      return [c.column, c.value, (c.change > 0 ? '+' : '') + number(c.change), meter];
    }));
    $('columns-note').textContent = !a.columns.length ? 'This model has no columns that could be exchanged one by one.'
      : a.background.rows ? `Against the cells of ${a.background.rows} ${a.background.from}.` : `Against cells that are ${a.background.from}.`;
    for (const [id, list] of [['t-near', a.landmarks], ['t-pull', a.strongest]]) {
      const extra = ['part', 'label', 'text'].filter(k => list.some(l => l[k]));
      table($(id), list.length ? ['landmark', 'similarity', 'pull', ...extra] : [], list.map(l =>
        [l.landmark, number(l.similarity), l.pull === undefined ? '–' : (l.pull > 0 ? '+' : '') + number(l.pull), ...extra.map(k => l[k] || '')]));
    }
    $('sum').textContent = a.sum ? `The score ${number(a.sum.score)} is ${number(a.sum.pulls)} of ${number(a.sum.landmarks)} landmarks, bias ${number(a.sum.bias)}` +
      (a.sum.rest ? `, and ${number(a.sum.rest)} of parts without landmarks.` : '.') : 'This model has no landmarks.';
  }
}
