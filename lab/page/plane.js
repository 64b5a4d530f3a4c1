// The picture: the raster of the separator, points, landmarks, and the hand that draws.

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const rgb = text => {
  const c = document.createElement('canvas').getContext('2d');
  c.fillStyle = text;
  const v = c.fillStyle;
  return [1, 3, 5].map(i => parseInt(v.slice(i, i + 2), 16));
};

export class Plane {
  constructor(canvas, { draw, erase, tell }) {
    Object.assign(this, { canvas, draw, erase, tell, answer: null, drawn: [], view: [-1.1, -1.1, 1.1, 1.1], cross: null, tool: '1' });
    this.paintColours();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.paintColours(); this.paint(); });
    new ResizeObserver(() => this.paint()).observe(canvas);
    this.mouse();
    this.keys();
  }

  paintColours() {
    this.ink = style('--ink');
    this.paper = style('--paper');
    this.ground = rgb(this.paper);
    this.classes = [0, 1, 2, 3, 4, 5].map(i => {
      const name = style('--c' + i), inner = name.match(/var\((--\w+)\)/);
      return inner ? style(inner[1]) : name;
    });
    this.rgb = this.classes.map(rgb);
  }

  show(answer) {
    this.answer = answer;
    this.view = answer.view;
    this.image = null;
    this.paint();
  }

  place(x, y) {
    const [l, b, r, t] = this.view, s = this.size;
    return [(x - l) / (r - l) * s, (t - y) / (t - b) * s];
  }

  point(px, py) {
    const [l, b, r, t] = this.view, box = this.canvas.getBoundingClientRect();
    return [l + (px - box.left) / box.width * (r - l), t - (py - box.top) / box.height * (t - b)];
  }

  paint() {
    const dpr = Math.min(2, devicePixelRatio || 1), css = this.canvas.clientWidth;
    if (!css) return;
    this.size = Math.round(css * dpr);
    if (this.canvas.width !== this.size) this.canvas.width = this.canvas.height = this.size;
    this.dpr = dpr;
    const c = this.canvas.getContext('2d');
    c.fillStyle = this.paper;
    c.fillRect(0, 0, this.size, this.size);
    const a = this.answer;
    if (a && a.raster.length) {
      this.raster(c, a);
      if (a.classes.length === 2) {
        this.contour(c, a, 0, 2.5 * dpr);
        const least = a.fit ? a.fit.least : 0;
        if (least > 0) for (const level of [least, -least]) this.contour(c, a, level, dpr);
      }
    }
    if (a) this.dots(c, a);
    else this.drawn.forEach(p => this.dot(c, p[0], p[1], p[2], 4));
    if (a) this.landmarks(c, a);
    if (this.cross) this.crossing(c);
  }

  raster(c, a) {
    if (!this.image || this.imageInk !== this.ink) {
      const n = a.cells, im = new ImageData(n, n), most = a.fit.most || 1;
      let top = most;
      if (a.classes.length > 2) top = a.raster.reduce((m, v) => Math.max(m, v), 1e-12);
      for (let i = 0; i < n * n; i++) {
        const part = Math.min(1, Math.abs(a.raster[i]) / top), mix = 0.12 + 0.36 * Math.sqrt(part);
        const colour = this.rgb[a.decided[i]];
        for (let j = 0; j < 3; j++) im.data[4 * i + j] = this.ground[j] + mix * (colour[j] - this.ground[j]);
        im.data[4 * i + 3] = 255;
      }
      const off = document.createElement('canvas');
      off.width = off.height = n;
      off.getContext('2d').putImageData(im, 0, 0);
      this.image = off;
      this.imageInk = this.ink;
    }
    c.imageSmoothingEnabled = a.classes.length === 2;
    c.drawImage(this.image, 0, 0, this.size, this.size);
  }

  // contour draws where the raster has a value, cell by cell: of the four centres around a
  // corner, the sides between one above and one below are crossed.
  contour(c, a, level, width) {
    const n = a.cells, v = a.raster, s = this.size / n;
    c.beginPath();
    for (let row = 0; row + 1 < n; row++) {
      for (let col = 0; col + 1 < n; col++) {
        const i = row * n + col;
        const q = [v[i] - level, v[i + 1] - level, v[i + n + 1] - level, v[i + n] - level];
        const ends = [];
        for (let k = 0; k < 4; k++) {
          const p = q[k], r = q[(k + 1) % 4];
          if ((p > 0) === (r > 0)) continue;
          const t = p / (p - r);
          ends.push([[t, 0], [1, t], [1 - t, 1], [0, 1 - t]][k]);
        }
        for (let k = 0; k + 1 < ends.length; k += 2) {
          c.moveTo((col + 0.5 + ends[k][0]) * s, (row + 0.5 + ends[k][1]) * s);
          c.lineTo((col + 0.5 + ends[k + 1][0]) * s, (row + 0.5 + ends[k + 1][1]) * s);
        }
      }
    }
    c.lineWidth = width;
    c.strokeStyle = this.ink;
    c.stroke();
  }

  dots(c, a) {
    const n = a.labels.length, size = n > 1500 ? 2 : n > 300 ? 2.6 : 4, own = this.drawn.length;
    for (let i = 0; i < n; i++) this.dot(c, a.points[2 * i], a.points[2 * i + 1], a.labels[i], i >= n - own ? 4 : size, a.margins[i] <= 0);
  }

  dot(c, x, y, label, size, wrong) {
    const [px, py] = this.place(x, y), r = size * this.dpr;
    c.beginPath();
    if (label === 0) c.arc(px, py, r, 0, 7);
    else if (label === 1) c.rect(px - r * 0.9, py - r * 0.9, 1.8 * r, 1.8 * r);
    else {
      for (let k = 0; k <= label; k++) {
        const t = -Math.PI / 2 + 2 * Math.PI * k / (label + 1);
        c[k ? 'lineTo' : 'moveTo'](px + 1.2 * r * Math.cos(t), py + 1.2 * r * Math.sin(t));
      }
      c.closePath();
    }
    c.fillStyle = this.classes[label];
    c.fill();
    c.lineWidth = (wrong ? 1.6 : 0.7) * this.dpr;
    c.strokeStyle = wrong ? this.ink : this.paper;
    c.stroke();
  }

  landmarks(c, a) {
    if (!a.fit || !a.fit.drawn) return;
    const r = 6 * this.dpr;
    for (const [width, colour] of [[4.5, this.paper], [2, this.ink]]) {
      c.beginPath();
      for (let i = 0; i < a.landmarks.length; i += 2) {
        const [x, y] = this.place(a.landmarks[i], a.landmarks[i + 1]);
        c.moveTo(x + r, y);
        c.arc(x, y, r, 0, 7);
      }
      c.lineWidth = width * this.dpr;
      c.strokeStyle = colour;
      c.stroke();
    }
  }

  crossing(c) {
    const [x, y] = this.place(...this.cross), r = 12 * this.dpr;
    for (const [width, colour] of [[5, this.paper], [2, this.ink]]) {
      c.beginPath();
      c.moveTo(x - r, y); c.lineTo(x + r, y); c.moveTo(x, y - r); c.lineTo(x, y + r);
      c.lineWidth = width * this.dpr;
      c.strokeStyle = colour;
      c.stroke();
    }
  }

  // reading says what the separator says of a place.
  reading(x, y) {
    const a = this.answer, where = `(${x.toPrecision(3)}, ${y.toPrecision(3)})`;
    if (!a || !a.raster.length) return where;
    const [l, b, r, t] = this.view, n = a.cells;
    const col = Math.floor((x - l) / (r - l) * n), row = Math.floor((t - y) / (t - b) * n);
    if (col < 0 || row < 0 || col >= n || row >= n) return where;
    const i = row * n + col, more = a.classes.length > 2 ? 'ahead by' : 'margin';
    return `${where}: class ${a.classes[a.decided[i]]}, ${more} ${Math.abs(a.raster[i]).toPrecision(2)}`;
  }

  mouse() {
    let last = null;
    const act = e => {
      const [x, y] = this.point(e.clientX, e.clientY), reach = (this.view[2] - this.view[0]) / 40;
      if (this.tool === 'erase') { this.erase(x, y, reach); return; }
      if (last && Math.hypot(last[0] - x, last[1] - y) < reach) return;
      last = [x, y];
      const other = e.shiftKey || e.button === 2 || e.buttons === 2;
      this.draw(x, y, other ? 1 - Number(this.tool) : Number(this.tool));
    };
    this.canvas.addEventListener('pointerdown', e => {
      e.preventDefault();
      this.canvas.focus({ preventScroll: true, focusVisible: false });
      this.canvas.setPointerCapture(e.pointerId);
      this.cross = null;
      last = null;
      act(e);
    });
    this.canvas.addEventListener('pointermove', e => {
      const [x, y] = this.point(e.clientX, e.clientY);
      this.tell(this.reading(x, y), false);
      if (e.buttons) act(e);
    });
    this.canvas.addEventListener('contextmenu', e => e.preventDefault());
  }

  keys() {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const center = () => [(this.view[0] + this.view[2]) / 2, (this.view[1] + this.view[3]) / 2];
    this.canvas.addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const step = steps[e.key], at = this.cross || center();
      if (step) {
        const by = (this.view[2] - this.view[0]) / (e.shiftKey ? 10 : 50);
        this.cross = [0, 1].map(i => Math.min(this.view[i + 2], Math.max(this.view[i], at[i] + by * step[i])));
        this.tell(this.reading(...this.cross), true);
      } else if (e.key === ' ' || e.key === 'Enter') {
        if (this.tool === 'erase') this.erase(...at, Infinity);
        else this.draw(...at, Number(this.tool));
      } else if (e.key === '1' || e.key === '2') {
        this.draw(...at, e.key === '1' ? 1 : 0);
      } else if (e.key === 'Delete' || e.key === 'Backspace') {
        this.erase(...at, Infinity);
      } else {
        return;
      }
      e.preventDefault();
      this.cross ||= at;
      this.paint();
    });
    this.canvas.addEventListener('blur', () => { this.cross = null; this.paint(); });
  }
}
