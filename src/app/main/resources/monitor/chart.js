// Charts over event time or examples, drawn by uPlot.

import uPlot from './uplot/uPlot.esm.js';
import {el, setAttribute} from './dom.js';
import {count, time} from './format.js';

const HEIGHT = 220;
const DASHES = {solid: [], dashed: [8, 4], dotted: [2, 4], long: [14, 5]};

/** Lines of the series of a chart, which differ in colour or dashes. */
export const LINES = [['one', 'solid'], ['two', 'long'], ['three', 'dashed'], ['four', 'dotted'], ['two', 'dotted'], ['three', 'solid'], ['four', 'long'], ['one', 'dashed']]
  .map(([colour, line]) => ({colour, line}));

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Date formats with 24 hours and month-day instead of uPlot's 12 hours and month/day/year; minutes without a date. */
function dates(template) {
  return uPlot.fmtDate(template.replaceAll('{h}:{mm}', '{HH}:{mm}').replaceAll('{h}{aa}', '{HH}:00').replaceAll('{aa}', '')
    .replaceAll(/\{M}\/\{D}(\/\{YY})? /g, '').replaceAll(/\{M}\/\{D}(\/\{YY})?/g, '{MM}-{DD}'));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/**
 * A chart with a title. Series: {label, colour, line: solid|dashed|dotted|long, format, isStep, isConnected, isSigned, now}; isConnected
 * draws over places without a value, isSigned has values below 0, now() is the value in the legend without a cursor instead of the last one; lines differ in dashes and colour. The charts of a {@link ChartRange} share it and their cursor, which the left and right keys move.
 */
export class Chart {
  constructor(title, range, series, top) {
    this.series = series;
    this.range = range;
    this.top = top;
    this.data = [[], ...series.map(() => [])];
    this.marks = [];
    this.holder = el('div', {class: 'plot', tabindex: '0', role: 'img', 'aria-label': title, keydown: event => this.key(event)});
    this.holder.chart = this;
    this.note = el('p', {class: 'note'});
    this.nothing = el('p', {class: 'quiet'}, 'No data yet.');
    this.title = title;
    this.node = el('figure', {class: 'chart'}, el('figcaption', {}, title), this.holder, this.nothing, this.note);
    this.holder.hidden = true;
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.holder);
    this.restyle = () => this.build();
    dark.addEventListener('change', this.restyle);
  }

  fit() {
    const width = Math.floor(this.holder.clientWidth);
    if (width > 0 && !this.plot) {
      this.build();
    } else if (width > 0 && width !== this.plot.width) {
      this.plot.setSize({width, height: HEIGHT});
    }
  }

  build() {
    this.plot?.destroy();
    const isTime = this.range.axis === 'time';
    this.axis = this.range.axis;
    const place = isTime ? value => time(1000 * value) : count;
    const axis = {stroke: colour('quiet'), grid: {stroke: colour('line'), width: 1}, ticks: {stroke: colour('line'), width: 1}};
    this.plot = new uPlot({
      width: Math.max(200, Math.floor(this.holder.clientWidth)),
      height: HEIGHT,
      fmtDate: dates,
      cursor: {
        drag: {x: true, y: false, setScale: false, dist: 5},
        // a drag in one chart selects nothing in the others
        sync: {key: this.range.key, filters: {pub: type => type === 'mousemove' || type === 'mouseleave'}},
        bind: {dblclick: () => () => this.range.choose(0)},
      },
      legend: {markers: {width: 3, dash: (plot, k) => this.series[k - 1]?.line === 'solid' ? 'solid'
        : this.series[k - 1]?.line === 'dotted' ? 'dotted' : 'dashed'}},
      scales: {x: {time: isTime, range: () => this.span()}, y: {range: (plot, low, high) => [this.lowest(low), this.highest(high)]}},
      axes: [{...axis, space: 70}, {...axis, size: 64}],
      series: [
        {label: isTime ? 'time' : 'labelled examples', value: (plot, value) => place(value ?? this.data[0][this.data[0].length - 1])},
        ...this.series.map(each => ({
          label: each.label,
          stroke: colour(each.colour),
          width: each.line === 'solid' ? 2 : 1.5,
          dash: DASHES[each.line],
          spanGaps: each.isConnected ?? false,
          points: {show: () => this.data[0].length < 40, size: 5},
          paths: each.isStep ? uPlot.paths.stepped({align: -1}) : undefined,
          // without a cursor, the legend shows the last value
          value: (plot, value, k, index) => each.format(index !== null ? value : each.now ? each.now() : this.data[k].findLast(one => one !== null)),
        })),
      ].map((each, k) => ({...each, show: this.hasData(k)})),
      hooks: {draw: [plot => this.drawMarks(plot)], setSelect: [plot => this.select(plot)]},
    }, this.data, this.holder);
  }

  /** The range of the axis. */
  span() {
    const places = this.data[0];
    return places.length ? this.range.of(places[0], places[places.length - 1]) : [0, 1];
  }

  /** Makes the selected part the range of all charts. */
  select(plot) {
    const {left, width} = plot.select;
    if (width > 0) {
      const zoom = [left, left + width].map(x => plot.posToVal(x, 'x'));
      plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
      this.range.set(zoom);
    }
  }

  hasData(k) {
    return this.data[k].some(value => value !== null);
  }

  lowest(low) {
    return this.series.some(each => each.isSigned) && low < 0 ? low * 1.08 : 0;
  }

  highest(high) {
    const limit = this.top?.(this.data) ?? Infinity;
    return (Math.min(high ?? 0, limit) || 1) * 1.08;
  }

  /**
   * Shows columns, the first of which are the places on the axis of the range, with marks {at, number, isAlert}; `summary` is
   * for screen readers.
   */
  set(data, marks, summary) {
    this.data = data;
    this.marks = marks;
    setAttribute(this.holder, 'aria-label', `${this.title}. ${summary}`);
    const isEmpty = !this.series.some((_, k) => this.hasData(k + 1));
    this.holder.hidden = isEmpty;
    this.nothing.hidden = !isEmpty;
    // hide series without data in the legend
    this.series.forEach((_, k) => {
      if (this.plot && this.plot.series[k + 1].show !== this.hasData(k + 1)) {
        this.plot.setSeries(k + 1, {show: this.hasData(k + 1)});
      }
    });
    if (this.plot && this.axis !== this.range.axis) {
      this.build();
    } else {
      this.plot?.setData(data);
    }
  }

  drawMarks(plot) {
    const {ctx, bbox} = plot;
    ctx.save();
    ctx.font = `${11 * devicePixelRatio}px sans-serif`;
    ctx.textAlign = 'center';
    let last = -Infinity;
    for (const mark of this.marks) {
      const x = plot.valToPos(mark.at, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) {
        continue;
      }
      ctx.strokeStyle = ctx.fillStyle = colour(mark.isAlert ? 'bad' : 'quiet');
      ctx.lineWidth = (mark.isAlert ? 2 : 1) * devicePixelRatio;
      ctx.setLineDash((mark.isAlert ? [6, 3] : [2, 3]).map(length => length * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      if (x - last > 26 * devicePixelRatio) {
        ctx.fillText(mark.isAlert ? `▲${mark.number}` : String(mark.number), x, bbox.top - 3 * devicePixelRatio);
        last = x;
      }
    }
    ctx.restore();
  }

  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const times = this.data[0];
    if (!step || !this.plot || times.length === 0) {
      return;
    }
    event.preventDefault();
    const now = this.plot.cursor.idx ?? times.length;
    const next = Math.max(0, Math.min(times.length - 1, now + step));
    this.plot.setCursor({left: this.plot.valToPos(times[next], 'x'), top: HEIGHT / 2});
  }

  stop() {
    this.resized.disconnect();
    dark.removeEventListener('change', this.restyle);
    this.plot?.destroy();
  }
}
