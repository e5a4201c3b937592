// How good the probabilities of a model were, its sets of labels, what its decisions have cost, which errors are expected, and which
// labels were corrected.

import {Chart} from './chart.js';
import {el, heading, setText, svg} from './dom.js';
import {count, real, share, time} from './format.js';
import {column} from './series.js';

const SIDE = 200;
const MARGIN = 40;
const MIN_RADIUS = 3;
const MAX_RADIUS = 12;
const MIN_WINDOW = 100;

/** A part of a model's page that is hidden until its predictions have probabilities or decisions, or labels can be corrected. */
export class Forecasts {
  /** `range` is that of the charts, `link` one to the table as CSV. */
  constructor(range, link) {
    this.range = range;
    this.quality = el('p', {class: 'quiet'});
    this.diagram = el('figure', {class: 'chart', hidden: true});
    this.sets = el('p', {class: 'quiet'});
    this.charts = [];
    this.setCharts = el('div', {class: 'charts'});
    this.decisions = el('p', {class: 'quiet'});
    this.costs = el('div');
    this.expected = el('p', {class: 'quiet'});
    this.estimates = el('figure', {class: 'chart', hidden: true});
    this.corrections = el('p', {class: 'quiet'});
    this.sources = el('div');
    this.node = el('section', {class: 'part forecasts', hidden: true}, heading('Probabilities, decisions and corrections', link), this.quality, this.diagram,
      this.sets, this.setCharts, this.decisions, this.costs, this.expected, this.estimates,
      this.corrections, this.sources,
      el('p', {class: 'quiet'}, 'What the numbers mean, and what they do not promise: ', el('a', {href: '/docs/decide.md'}, 'docs/decide.md'), '.'));
  }

  /** Shows the model's details. */
  show({forecasts, decisions, estimates, corrections, settings}) {
    this.node.hidden = !forecasts && !decisions && !estimates && !corrections;
    this.coverage = Number(settings.coverage) || null;
    setText(this.quality, forecasts ? quality(forecasts) : '');
    const isDrawn = Boolean(forecasts?.ranges.length);
    this.diagram.hidden = !isDrawn;
    const drawn = JSON.stringify(forecasts?.ranges ?? null);
    if (isDrawn && drawn !== this.drawn) {
      this.diagram.replaceChildren(el('figcaption', {}, 'Reliability: probability of the second of two labels, or of the predicted one, and how often it came true'),
        el('div', {class: 'reliability'}, diagram(forecasts.ranges), ranges(forecasts.ranges)));
    }
    this.drawn = drawn;
    setText(this.sets, forecasts?.sets ? sets(forecasts, this.coverage) : '');
    this.summary = forecasts?.sets ? `all ${share(forecasts.covered / forecasts.sets)}` : '';
    this.setCharts.hidden = !forecasts?.sets;
    if (forecasts?.sets && this.charts.length === 0) {
      this.makeCharts();
    }
    setText(this.decisions, decisions ? made(decisions) : '');
    this.costs.replaceChildren(...decisions && (decisions.costOfAlways > 0 || decisions.costOfNever > 0) ? [costs(decisions)] : []);
    this.showEstimates(estimates);
    setText(this.corrections, corrections ? corrected(corrections) : '');
    this.sources.replaceChildren(...corrections?.sources.length ? [sources(corrections.sources)] : []);
  }

  /** Shows the expected errors of predictions whose labels are out, and what became of earlier ones. */
  showEstimates(estimates) {
    setText(this.expected, estimates ? expected(estimates) : '');
    this.estimates.hidden = !estimates?.windows.some(({predictions}) => predictions >= MIN_WINDOW);
    const drawn = JSON.stringify(estimates?.windows ?? null);
    if (!this.estimates.hidden && drawn !== this.drawnEstimates) {
      this.estimates.replaceChildren(
        el('figcaption', {}, 'Error before the labels: expected when predicted (line), and what it became (dots, grey while labels are out)'),
        el('div', {class: 'reliability'}, course(estimates.windows), windows(estimates.windows)));
    }
    this.drawnEstimates = drawn;
  }

  // not before they are needed: most models have no sets
  makeCharts() {
    this.covered = new Chart('Coverage: sets of labels that have the true one', this.range, [
      {label: 'last window', colour: 'one', line: 'solid', format: share, isStep: true},
      {label: 'target', colour: 'two', line: 'dashed', format: share}]);
    this.sizes = new Chart('Sets of labels: mean size, and share of unsure ones', this.range, [
      {label: 'mean size', colour: 'one', line: 'solid', format: real, isStep: true},
      {label: 'unsure', colour: 'three', line: 'dashed', format: share, isStep: true}]);
    this.charts = [this.covered, this.sizes];
    this.setCharts.append(...this.charts.map(chart => chart.node));
  }

  /** Draws the points of the model's charts. */
  draw(times, series, marks) {
    if (this.charts.length > 0) {
      const ofSets = value => column(series, ({forecasts}) => forecasts?.sets ? value(forecasts) : null);
      this.covered.set([times, ofSets(({covered, sets: all}) => covered / all), times.map(() => this.coverage)], marks, this.summary);
      this.sizes.set([times, ofSets(({setLabels, sets: all}) => setLabels / all), ofSets(({unsure, sets: all}) => unsure / all)], marks, '');
    }
  }

  stop() {
    this.charts.forEach(chart => chart.stop());
  }
}

function quality({labelled, brierScore, logLoss, calibrationError}) {
  return `Of ${count(labelled)} labelled examples with a probability: Brier score ${fixed(brierScore)}, log loss ${fixed(logLoss)}`
    + (calibrationError === null ? '.' : `, expected calibration error ${fixed(calibrationError)}.`);
}

function sets({sets: all, covered, setLabels, unsure}, coverage) {
  return `${percent(covered / all)} of ${count(all)} sets of labels have the true one${coverage ? ` (target ${percent(coverage)}, in the long run)` : ''}. `
    + `Mean size ${(setLabels / all).toFixed(2)}; unsure, because they have no label or more than one: ${percent(unsure / all)}.`;
}

function made({labelled, falseAlarms, misses, withheld}) {
  return `${count(labelled)} decisions with a label: ${count(falseAlarms)} false alarms, ${count(misses)} misses.`
    + (withheld ? ` Alerts withheld by alerts.max: ${count(withheld)}.` : '');
}

/** Mean probability against rate of each range; the area of a dot grows with its examples. */
function diagram(all) {
  const most = Math.max(...all.map(each => each.examples));
  const x = value => MARGIN + SIDE * value;
  const y = value => MARGIN / 2 + SIDE * (1 - value);
  const radius = examples => MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * Math.sqrt(examples / most);
  const ticks = [0, 0.5, 1];
  return svg('svg', {viewBox: `0 0 ${SIDE + 2 * MARGIN} ${SIDE + 1.7 * MARGIN}`, class: 'reliability-plot', role: 'img',
    'aria-label': 'Reliability diagram; its numbers are in the table beside it'},
  svg('rect', {x: x(0), y: y(1), width: SIDE, height: SIDE}),
  svg('line', {x1: x(0), y1: y(0), x2: x(1), y2: y(1)}),
  ...ticks.flatMap(tick => [svg('text', {x: x(tick), y: y(0) + 14, 'text-anchor': 'middle'}, String(tick)),
    svg('text', {x: x(0) - 5, y: y(tick) + 4, 'text-anchor': 'end'}, String(tick))]),
  svg('text', {x: x(0.5), y: y(0) + 29, 'text-anchor': 'middle'}, 'mean probability'),
  svg('text', {x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(10 ${y(0.5)}) rotate(-90)`}, 'came true'),
  ...all.map(({probability, rate: came, examples}) => svg('circle', {cx: x(probability), cy: y(came), r: radius(examples)},
    svg('title', {}, `${fixed(probability)}: ${fixed(came)} of ${count(examples)}`))));
}

function ranges(all) {
  return numbers('Reliability', ['mean probability', 'came true', 'examples'],
    all.map(({probability, rate: came, examples}) => [fixed(probability), fixed(came), count(examples)]));
}

function costs({cost, costOfAlways, costOfNever, bestThreshold, costOfBest}) {
  return numbers('Costs', ['decisions', 'cost so far'], [['as made', whole(cost)], ['always', whole(costOfAlways)], ['never', whole(costOfNever)],
    [bestThreshold > 1 ? 'best fixed threshold: never' : `best fixed threshold, in hindsight: ${bestThreshold}`, whole(costOfBest)]]);
}

function corrected({corrections, outstanding, correctable, leftEarly}) {
  return `${count(corrections)} labels were corrected${outstanding ? `, ${count(outstanding)} of which the weights lack` : ''}; `
    + `${count(correctable)} examples can still be corrected${leftEarly ? `, ${count(leftEarly)} could not for the whole time` : ''}.`;
}

function sources(all) {
  return numbers('Sources', ['label of', 'then label of', 'agreed', 'disagreed'], all.map(({truth, other, agreed, disagreed}) =>
    [truth || 'no source', other || 'no source', count(agreed), count(disagreed)]));
}

function numbers(caption, heads, rows) {
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption}, el('table', {},
    el('caption', {class: 'hidden-text'}, caption),
    el('thead', {}, el('tr', {}, ...heads.map((head, k) => el('th', {scope: 'col', class: caption === 'Costs' && k === 0 ? null : 'number'}, head)))),
    el('tbody', {}, ...rows.map(row => el('tr', {}, ...row.map((text, k) => caption === 'Costs' && k === 0
      ? el('th', {scope: 'row'}, text) : el('td', {class: 'number'}, text)))))));
}

function expected({waiting, expectedErrors, compared, meanGap, worstGap}) {
  return `${count(waiting)} labels are out: ${expectedErrors.toFixed(1)} of these predictions are expected to be wrong.`
    + (meanGap === null ? ' No estimate was compared with its labels yet.'
      : ` ${count(compared)} earlier estimates were off by ${fixed(meanGap)} on average, ${fixed(worstGap)} at worst, once their labels came.`);
}

/** Estimated error of each window as a line, and its error now as a dot. */
function course(given) {
  // of a window that has just begun, two examples are no rate
  const all = given.filter(({predictions}) => predictions >= MIN_WINDOW);
  const most = Math.max(0.01, ...all.map(({estimate, present}) => Math.max(estimate, present ?? 0)));
  const x = k => MARGIN + 1.5 * SIDE * (k + 0.5) / all.length;
  const y = value => MARGIN / 2 + SIDE * (1 - value / most);
  return svg('svg', {viewBox: `0 0 ${1.5 * SIDE + 2 * MARGIN} ${SIDE + 1.7 * MARGIN}`, class: 'reliability-plot', role: 'img',
    'aria-label': 'Estimated and known errors; the numbers are in the table beside it'},
  svg('rect', {x: MARGIN, y: y(most), width: 1.5 * SIDE, height: SIDE}),
  ...[0, most / 2, most].map(tick => svg('text', {x: MARGIN - 5, y: y(tick) + 4, 'text-anchor': 'end'}, tick.toFixed(2))),
  svg('text', {x: MARGIN + 0.75 * SIDE, y: y(0) + 20, 'text-anchor': 'middle'}, 'windows of predictions, the oldest first'),
  svg('polyline', {points: all.map(({estimate}, k) => `${x(k)},${y(estimate)}`).join(' '), class: 'estimate'}),
  ...all.flatMap(({present, out, labelled}, k) => present === null ? [] : [svg('circle', {cx: x(k), cy: y(present), r: MIN_RADIUS + 1, class: out ? 'open' : null},
    svg('title', {}, `${fixed(present)}: ${count(labelled)} labels, ${count(out)} out`))]));
}

function windows(all) {
  return numbers('Estimates', ['from', 'predictions', 'estimate', 'now', 'labels', 'out'],
    all.map(({start, predictions, estimate, present, labelled, out}) =>
      [time(start), count(predictions), fixed(estimate), present === null ? '' : fixed(present), count(labelled), count(out)]));
}

/** Without rounding where costs are whole numbers. */
function whole(cost) {
  return Number.isInteger(cost) ? count(cost) : real(cost);
}

function fixed(number) {
  return number.toFixed(4);
}

function percent(fraction) {
  return `${(100 * fraction).toFixed(1)} %`;
}
