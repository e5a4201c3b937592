// Ranking of models by their errors on the labelled examples that all of them have seen.

import {csv, el, reconcile, setAttribute, setText, table} from './dom.js';
import {count, rate, share} from './format.js';
import {RowChoice} from './rows.js';
import {isSameCount} from './series.js';

const COLUMNS = [
  {head: 'Rank', value: row => row.rank, format: count},
  {head: 'Model', value: row => row.model},
  {head: 'Error, same examples', value: row => row.error, format: share},
  {head: 'Same examples', value: row => row.same},
  {head: 'Error, all', value: row => row.errorRate, format: share},
  {head: 'Labelled', value: row => row.labelled, format: count},
  {head: 'Kappa', value: row => row.kappa, format: share},
  {head: 'Kappa, majority label', value: row => row.kappaMajority, format: share},
  {head: 'Kappa, last label', value: row => row.kappaSame, format: share},
  {head: 'Updates', value: row => row.updates, format: count},
  {head: 'Examples/s', value: row => row.examplesPerSecond, format: rate},
];

/** A table that can be searched and sorted, first by rank, below a sentence about what is compared. */
export class Ranking {
  constructor(names) {
    this.choice = new RowChoice('ranking', 'Search the ranking ', COLUMNS.map(({head, value, format}) => ({head, value, isNumber: Boolean(format)})), () => this.fill());
    this.table = table('Ranking', this.choice.heads, 'stacked');
    this.basis = el('p', {class: 'basis', role: 'status'});
    const parameters = [['sort', 'errorRate'], ...names.map(name => ['name', name])];
    this.node = el('section', {class: 'part'}, el('div', {class: 'heading'}, el('h2', {}, 'Ranking'), csv('models', 'models', parameters)),
      this.basis, this.choice.node, this.table.node);
    this.rows = [];
  }

  show(details, histories) {
    const {rows, text, tone} = ranked(details, histories);
    this.rows = rows;
    setText(this.basis, text);
    setAttribute(this.basis, 'data-tone', tone);
    this.fill();
  }

  fill() {
    reconcile(this.table.body, this.choice.apply(this.rows), row => row.model,
      row => el('tr', {}, ...COLUMNS.map(({head, format}) => head === 'Model'
        ? el('th', {scope: 'row'}, el('a', {href: `#/models/${encodeURIComponent(row.model)}`}, row.model))
        : el('td', {class: format ? 'number' : null}))),
      (node, row) => COLUMNS.forEach(({head, value, format}, k) => {
        if (head !== 'Model') {
          setText(node.children[k], format ? format(value(row)) : value(row));
          setAttribute(node.children[k], 'data-tone', value(row) === 'no' ? 'bad' : null);
        }
      }));
  }
}

/**
 * The models in the order of their errors up to the largest number of labelled examples at which the errors of all are known, and
 * a sentence about it with its tone. Models are taken for having seen other examples if the last label repeats in another number
 * of these: they have no rank. Most models decide which number is the usual one.
 */
function ranked(details, histories) {
  const courses = details.map((each, k) => course(each, histories[k]));
  const at = Math.max(0, ...[...courses[0].keys()].filter(place => courses.every(each => each.has(place))));
  const repeats = courses.map(each => each.get(at)?.same ?? null);
  const usual = mostFrequent(repeats.filter(each => each !== null));
  const rows = details.map((each, k) => ({...each,
    error: at > 0 ? courses[k].get(at).errors / at : null,
    same: at === 0 || repeats[k] === null ? 'not known' : repeats[k] === usual ? 'yes' : 'no'}));
  const measure = row => row.error ?? row.errorRate;
  const isRanked = row => row.same !== 'no' && typeof measure(row) === 'number';
  rows.forEach(row => {
    row.rank = isRanked(row) ? 1 + rows.filter(other => isRanked(other) && measure(other) < measure(row)).length : null;
  });
  rows.sort((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || 0);
  const {text, tone} = basis(rows, at);
  const apart = timesApart(details, histories);
  return {rows, text: text + apart, tone: apart && tone === null ? 'warn' : tone};
}

/** A sentence for models whose windows since the counts began have no event time in common; empty where all have. */
function timesApart(details, histories) {
  const spans = details.map((each, k) => {
    const windows = counted(histories[k], each);
    return {model: each.model, start: Math.min(...windows.map(each => each.windowStart)), end: Math.max(...windows.map(each => each.windowEnd))};
  }).filter(({start}) => Number.isFinite(start));
  const last = spans.reduce((one, other) => other.start > one.start ? other : one, spans[0]);
  const first = spans.reduce((one, other) => other.end < one.end ? other : one, spans[0]);
  return last && last.start >= first.end ? ` The windows of ${last.model} begin after those of ${first.model} have ended.` : '';
}

/** The windows of a history that are in the counts of a model. */
function counted({points, open}, details) {
  return [...points, open].filter(each => each && isSameCount(each, details));
}

function basis(rows, at) {
  const seen = rows.map(({labelled}) => labelled);
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  const all = rows.map(({examples}) => examples);
  const [fewest, largest] = [Math.min(...all), Math.max(...all)];
  const numbers = least !== most ? ` So far the models have seen ${count(least)} to ${count(most)}.`
    : fewest !== largest ? ` With those without a label, they have seen ${count(fewest)} to ${count(largest)}.` : '';
  if (most === 0) {
    return {text: 'No model has seen a labelled example yet.', tone: null};
  }
  if (at === 0) {
    return {text: 'Rank by the errors on all labelled examples, which are not the same: there is no number of them at which the errors of all models are known.'
      + numbers, tone: 'warn'};
  }
  const others = rows.filter(({same}) => same === 'no').map(({model}) => model);
  if (others.length > 0) {
    return {text: `▲ ${others.join(', ')}: other labels or another order than the rest in the first ${count(at)} labelled examples, therefore without a rank.${numbers}`,
      tone: 'bad'};
  }
  const isUnknown = rows.some(({same}) => same === 'not known');
  return {text: `Rank by the errors on the first ${count(at)} labelled examples.${isUnknown ? ' Whether these are the same is not known of all models.' : ''}${numbers}`,
    tone: isUnknown ? 'warn' : null};
}

/**
 * Errors, and errors of always predicting the last label, of the first labelled examples since the counts began: a map by their number. The latter depend on the
 * labels and their order only; they are null where windows at the beginning are missing.
 */
function course(details, history) {
  const {labelled, errors, metrics} = details;
  const places = new Map();
  let [compared, same] = [0, 0];
  for (const point of counted(history, details)) {
    compared += point.metrics?.compared ?? 0;
    same += point.metrics?.sameErrors ?? 0;
    places.set(point.totalLabelled, {errors: point.totalErrors, same: compared === point.totalLabelled ? same : null});
  }
  const isWhole = metrics?.compared === labelled;
  places.set(labelled, {errors, same: isWhole ? metrics.sameErrors : places.get(labelled)?.same ?? null});
  return places;
}

function mostFrequent(numbers) {
  const counts = new Map();
  numbers.forEach(each => counts.set(each, (counts.get(each) ?? 0) + 1));
  return [...counts].reduce((best, each) => each[1] > best[1] ? each : best, [null, 0])[0];
}
