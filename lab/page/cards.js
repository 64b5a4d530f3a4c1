// What is beside the picture: figures, angles, charts and their values.

const $ = id => document.getElementById(id);

export const number = v => {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  if (v === 0 || Number.isInteger(v) && Math.abs(v) < 1e6) return v.toLocaleString('en');
  return Math.abs(v) >= 1e6 || Math.abs(v) < 1e-3 ? v.toExponential(1) : Number(v.toPrecision(3)).toLocaleString('en');
};

const percent = v => v === null || v === undefined ? '–' : Number((100 * v).toPrecision(3)) + '%';

export const element = (tag, text, kind) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (kind) e.className = kind;
  return e;
};

// table fills a table with rows below names of columns.
export function table(node, columns, rows) {
  const head = element('tr');
  head.append(...columns.map(c => Object.assign(element('th', c), { scope: 'col' })));
  node.replaceChildren(head, ...rows.map(row => {
    const r = element('tr');
    r.append(...row.map(cell => {
      const d = element('td');
      d.append(cell instanceof Node ? cell : String(cell));
      return d;
    }));
    return r;
  }));
}

function chart(name, svg, why) {
  const at = $('c-' + name);
  if (svg) at.innerHTML = svg; // drawn by the server, which escapes every text of it
  else if (why) at.replaceChildren(element('p', why, 'none'));
}

// fan draws an angle: the gap between the classes, to both sides of the separator.
function fan(margin) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), long = 300, high = 70;
  svg.setAttribute('viewBox', `0 0 ${long} ${high}`);
  svg.setAttribute('aria-hidden', 'true');
  const rise = Math.min(high / 2, long * Math.tan(Math.asin(Math.min(0.999, Math.max(0, margin)))));
  const put = (tag, kind, at) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    e.setAttribute('class', kind);
    for (const [k, v] of Object.entries(at)) e.setAttribute(k, v);
    svg.append(e);
  };
  const middle = high / 2;
  put('polygon', 'upper', { points: `0,0 ${long},0 ${long},${middle - rise} 0,${middle}` });
  put('polygon', 'lower', { points: `0,${high} ${long},${high} ${long},${middle + rise} 0,${middle}` });
  put('line', 'cut', { x1: 0, x2: long, y1: middle, y2: middle });
  return svg;
}

function fans(a) {
  const sides = [['F1', a.f1], ['F2', a.f2]].filter(s => s[1]).map(([name, s]) =>
    ({ name, margin: s.separable ? s.margin : null, at: s.at, noise: s.noise }));
  if (a.plan) sides.push({ name: 'kernel', margin: a.plan.largest, at: a.plan.margin, noise: a.plan.noise });
  const all = sides.every(s => s.margin !== null);
  $('fans').replaceChildren(...sides.map(s => {
    const margin = all ? s.margin : s.at, row = element('div', undefined, 'fan'), what = element('div', undefined, 'what');
    what.append(element('b', margin === null || margin <= 0 ? 'none' : number(margin)), element('br'),
      margin > 0 ? number(Math.asin(margin) * 180 / Math.PI) + '°' : 'no gap');
    row.append(element('div', s.name, 'who'), fan(margin || 0), what);
    return row;
  }));
  const noise = a.plan ? a.plan.noise : 0;
  $('fan-note').textContent = all
    ? 'The gap is the margin: no point lies in it, under the best separator. Angles are true.'
    : a.plan ? `No separator tells all points apart, so the gap is that of all but ${percent(noise)} of them.`
      : 'No separator through the origin tells all points apart.';
  if (a.classes.length > 2) $('fan-note').textContent += ` It is class ${a.classes.at(-1)} against the rest.`;
  table($('t-fan'), ['', 'margin', 'no larger than', 'angle', '1/γ²', 'margin but for noise'], [
    ...[['F1', a.f1], ['F2', a.f2]].filter(s => s[1]).map(([name, s]) => [name, s.separable ? number(s.margin) : 'none', number(s.bound),
      s.degrees === null ? '–' : number(s.degrees) + '°', number(s.limit), number(s.at)]),
    ...(a.plan ? [['kernel', number(a.plan.largest), '', '', '', number(a.plan.margin)]] : []),
  ]);
}

function figures(a) {
  const f = a.fit, list = [];
  if (f) {
    list.push(['points wrong', percent(f.error)], ['fresh points wrong', percent(f.fresh_error)], ['least margin', number(f.least)],
      ['margin of 95%', number(f.twentieth)], ['features', number(f.dim)]);
    if (f.drawn) list.push(['landmarks', f.drawn === f.dim || f.map === 'f3' ? number(f.drawn) : `${number(f.drawn)}, ${number(f.dim)} independent`]);
    if (f.support) list.push(['support', number(f.support)]);
    list.push(['learner', f.status]);
  }
  $('figures').replaceChildren(...list.map(([k, v]) => {
    const d = element('div');
    d.append(element('dt', k), element('dd', v));
    return d;
  }));
  const classes = a.classes.map((c, i) => {
    let n = 0, bad = 0;
    a.labels.forEach((l, j) => { if (l === i) { n++; if (a.margins[j] <= 0) bad++; } });
    return [c, number(n), a.margins.length ? number(bad) : '–'];
  });
  table($('t-plane'), ['class', 'points', 'on the wrong side'], classes);
}

function certificate(a) {
  const c = a.certificate, p = a.plan;
  if (!c || !p) {
    $('certificate').textContent = '';
    table($('t-certificate'), [], []);
    return;
  }
  $('certificate').textContent = `${c.fresh} fresh points say with confidence ${percent(a.confidence)}: F2 keeps margin ${number(c.kept)} for all but ` +
    `${percent(c.bound)} more of them; ${percent(c.asked)} ${c.holds ? 'was asked for, so it holds' : 'was asked for, so it does not hold'}. ` +
    `Lemma 1 would ask for ${number(p.landmarks)} landmarks.`;
  table($('t-certificate'), ['', ''], [
    ['margin γ of the kernel', number(p.margin)], ['but for a part α', percent(p.noise)], ['margin that F2 keeps, γ/2', number(c.kept)],
    ['error ε left to the map', percent(c.asked)], ['landmarks by lemma 1', number(p.landmarks)], ['error promised by lemma 1', percent(c.promised)],
    ['error certified', percent(c.bound)], ['test', c.kind], ['fresh points', number(c.fresh)], ['of them counted as lost', number(c.counted)],
    ['error at γ/2 of these points', percent(p.error_at_half)], ['holds', c.holds ? 'yes' : 'no'],
  ]);
}

export function show(a, state) {
  a.confidence = state.confidence;
  figures(a);
  fans(a);
  certificate(a);
  for (const name of ['curve', 'spectrum', 'mistakes']) chart(name, a.charts[name]);
  chart('growth', a.charts.growth, a.growth && 'No number of landmarks up to ' + a.growth.at(-1).landmarks + ' leaves a gap between all points.');
  chart('certificate', a.charts.certificate, a.faults.certificate || a.faults.plan || a.faults.f2);
  const sides = [['F1', a.f1], ['F2', a.f2]].filter(s => s[1]);
  table($('t-mistakes'), ['', 'mistakes', 'passes', '1/γ²'], sides.map(([name, s]) =>
    [name, number(s.mistakes) + (s.finished ? '' : ' and more'), number(s.passes), s.separable ? number(s.limit) : 'not separated']));
  const longest = Math.max(0, ...sides.map(s => s[1].share?.length || 0));
  table($('t-spectrum'), ['direction', ...sides.map(s => s[0])], Array.from({ length: Math.min(12, longest) }, (_, i) =>
    [i + 1, ...sides.map(s => s[1].share && i in s[1].share ? percent(s[1].share[i]) : '')]));
  const at = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3];
  table($('t-curve'), ['margin', ...sides.map(s => s[0] + ' below')], at.map(m => [m, ...sides.map(s => percent(below(s[1].curve, m)))]));
  if (a.growth) table($('t-growth'), ['landmarks', 'F1', 'F2'], a.growth.map(g => [g.landmarks, g.f1 > 0 ? number(g.f1) : 'none', g.f2 > 0 ? number(g.f2) : 'none']));
  if (a.plan) $('lemma').textContent = `Here γ = ${number(a.plan.margin)} but for ${percent(a.plan.noise)} of the points, and ${percent(a.plan.error)} of error is ` +
    `left to the map: the lemma asks for ${number(a.plan.landmarks)} landmarks. What is measured above is enough far earlier.`;
  else $('lemma').textContent = a.faults.plan || '';
}

// below returns the part of points below a margin, of a curve that holds from each of its
// points to the next.
function below(curve, margin) {
  let out = 0;
  for (const p of curve || []) if (p.margin <= margin) out = p.error;
  return out;
}
