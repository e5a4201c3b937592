// View of one model: counts, charts with bounds, mistakes, weights and settings.

import {ApiError, Poll, Stream, get, isReading, modelPath} from './api.js';
import {Chart} from './chart.js';
import {ChartRange} from './range.js';
import {coarser, column, isSameCount, isSparse, novikoff, numbered, placed, points, sample} from './series.js';
import {DefinitionList, command, csv, el, empty, heading, reconcile, setAttribute, setText, table} from './dom.js';
import {age, count, rate, real, share, state, time} from './format.js';
import {compareHash} from './compare.js';
import {Causes} from './causes.js';
import {Challengers} from './challengers.js';
import {ConfusionMatrix} from './confusion.js';
import {Forecasts} from './forecasts.js';
import {LateLabels} from './labels.js';
import {ClassMetrics} from './metrics.js';
import {MarkLine} from './markline.js';
import {MistakeTable, place} from './mistakes.js';
import {ModelPicker} from './picker.js';
import {Predictions} from './predictions.js';
import {RowChoice} from './rows.js';
import {ERROR_OR_MISTAKE, terms} from './terms.js';
import {Verdict} from './verdict.js';
import {Versions} from './versions.js';

const LATEST = 50;
const MAX_SAMPLES = 120;

/** A sentence about the present weights where others have predicted, too; empty where the counts are theirs. */
function weightsText({ofWeights}) {
  return !ofWeights || ofWeights.labelled === 0 ? ''
    : `The present weights were wrong, or would have been, on ${count(ofWeights.errors)} of ${count(ofWeights.labelled)} labelled examples `
      + `(${share(ofWeights.errors / ofWeights.labelled)}) since they began to learn. Updates, norms and bounds are theirs, too; all other counts are of what was emitted, also by the weights before them.`;
}

export class ModelView {
  constructor(name) {
    this.name = name;
    this.title = name;
    this.samples = [];
    this.mistakes = [];
    this.status = el('span', {class: 'chip', hidden: true});
    this.subtitle = el('p', {class: 'quiet'});
    this.verdict = new Verdict(name);
    this.labels = new LateLabels(name);
    this.challengers = new Challengers(name);
    this.markLine = new MarkLine();
    this.predictions = new Predictions(name);
    this.versions = new Versions(name);
    this.facts = new DefinitionList([
      ['examples', 'of the model since it began, or its last reset'], ['errors', 'wrong emitted labels, of the labelled examples'],
      ['error, all', 'errors over labelled examples'], ['error, last window', 'errors over labelled examples of the last counting window'],
      ['without a prediction', 'examples before any label was known; their labels count as errors'],
      ['tags wrong', 'wrong tags of the labelled sequences, over all of their tags'],
      ['mistakes', 'wrong answers of the last weights'], ['margin mistakes', 'right answers of the last weights with a margin below h'],
      ['updates', 'changes of the weights in this epoch'], ['examples/s', 'of event time, in the last window'],
      ['dead letters', 'rejected records of this model, as far as they were read']]);
    this.norm = new DefinitionList([
      ['|w|', 'norm of the weights', '/docs/theory.md'], ['R', 'largest norm of an example', '/docs/theory.md'],
      ['gamma ≤', 'maximum margin of any separator', '/docs/theory.md']]);
    this.range = new ChartRange(() => this.draw());
    this.makeCharts();
    this.makeTables();
    this.nothing = el('div');
    this.parts = el('div', {hidden: true},
      this.alarmText, this.verdict.node, this.facts.node, this.ofWeights, this.labels.node, this.difference, terms(), this.range.node,
      el('p', {class: 'quiet'}, 'Numbers of the charts: ', this.csv('history', 'points'), ', marks: ', this.csv('history', 'marks')),
      el('div', {class: 'charts'}, this.error.node, this.cumulative.node),
      this.markLine.node,
      el('details', {class: 'theory'}, el('summary', {}, 'Theory: norms, margin certificate and bounds'), this.norm.node, this.boundNote,
        el('div', {class: 'charts'}, this.certificate.node, this.norms.node)),
      new ModelPicker('Compare with ', 'Compare', other => {
        location.hash = compareHash(name, other);
      }).node,
      this.challengers.node,
      section('Named snapshots', null, this.csv('', 'versions'), this.versions.node),
      this.alarmPart,
      section('Events', 'Changes and alerts, with their numbers in the charts; the text of a change has the settings that it changed.', this.csv('history', 'marks'),
        this.markChoice.node, this.marksTable.node, this.noMarks, this.droppedMarks),
      section('Latest mistakes', this.mistakesHint, csv('mistakes', 'events', [['model', name], ['limit', 200]]), this.mistakesTable.node),
      section('Predictions', null, null, this.predictions.node),
      section('Features of the last mistakes', null, this.csv('causes', 'causes'), this.causes.node),
      el('div', {class: 'pair'},
        section('Largest weights', null, this.csv('weights', 'snapshot.top'), this.weights),
        section('Confusion matrix', null, this.csv('', 'confusion'), this.confusion.node)),
      section('Metrics by class', null, this.csv('', 'metrics.classes'), this.metrics.node),
      this.forecasts.node,
      section('Settings', null, this.csv('', 'settings'),
        el('p', {class: 'quiet'}, this.settingsNote, ' What they do: ', el('a', {href: '/docs/settings.md'}, 'docs/settings.md'), '.'),
        this.settingChoice.node, this.settingsTable.node, el('p', {}, this.advanced)));
    this.node = el('section', {},
      el('p', {}, el('a', {href: '#/'}, '◀ all models')),
      el('h1', {}, name, ' ', this.status), this.subtitle, this.nothing, this.parts);
    this.stream = new Stream('mistakes', name, mistake => this.mistake(mistake), () => this.loadMistakes());
    this.mistakesPoll = new Poll(() => this.loadMistakes(), 30_000);
    this.poll = new Poll(() => this.load(), 2000);
  }

  makeCharts() {
    const solid = {line: 'solid', format: count};
    // a very large bound would flatten the line of the mistakes
    const top = data => 6 * Math.max(1, ...data[1].concat(data[3]).filter(Number.isFinite));
    this.difference = el('p', {class: 'quiet', hidden: true}, ERROR_OR_MISTAKE);
    this.ofWeights = el('p', {class: 'quiet'});
    this.boundNote = el('p', {class: 'note'});
    this.cumulative = new Chart('Mistakes, cumulative, under the bounds that apply', this.range, [
      {label: 'mistakes', colour: 'one', ...solid},
      {label: 'of the present weights', colour: 'one', ...solid, line: 'dashed'},
      {label: 'updates', colour: 'two', ...solid, line: 'long'},
      {label: 'bound by comparator', colour: 'three', ...solid, line: 'dashed', format: real},
      {label: 'bound by your gamma', colour: 'four', ...solid, line: 'dotted', format: real}], top);
    this.error = new Chart('Error: of each window, of all examples, and of two baselines', this.range, [
      {label: 'last window', colour: 'one', line: 'solid', format: share, isStep: true, now: () => this.details.windowError},
      {label: 'all', colour: 'two', line: 'dashed', format: share, now: () => this.details.errorRate},
      {label: 'majority label', colour: 'three', line: 'dotted', format: share, isStep: true},
      {label: 'last label', colour: 'four', line: 'long', format: share, isStep: true}]);
    this.certificate = new Chart('Margin certificate: gamma is at most |w|/M', this.range, [
      {label: 'gamma ≤', colour: 'one', line: 'solid', format: real}]);
    this.norms = new Chart('Norm of the weights |w|, largest example R', this.range, [
      {label: '|w|', colour: 'one', line: 'solid', format: real},
      {label: 'R', colour: 'two', line: 'dashed', format: real}]);
    this.charts = [this.cumulative, this.error, this.certificate, this.norms];
    this.gamma = el('input', {type: 'number', min: '0', step: 'any', inputmode: 'decimal', id: 'gamma', placeholder: '0.05', input: () => this.draw()});
    this.gammaNote = el('span');
    this.cumulative.node.append(this.gammaForm = el('p', {class: 'note', hidden: true},
      el('label', {for: 'gamma'}, 'A known margin gamma: ', this.gamma), ' ', this.gammaNote));
  }

  /** Link to a table of the model as CSV. */
  csv(route, field) {
    return csv(modelPath(this.name, route && `/${route}`), field);
  }

  makeTables() {
    this.markChoice = new RowChoice('events', 'Search in events ', [{head: 'No.', value: mark => mark.number}, {head: 'Time', value: mark => mark.timestamp},
      {head: 'Kind', value: mark => mark.kind}, {head: 'At example', value: mark => mark.examples, isNumber: true}, {head: 'Text', value: mark => mark.text}],
    () => this.showMarks(numbered(this.history.marks)));
    this.droppedMarks = el('p', {class: 'quiet dropped-marks', hidden: true});
    this.marksTable = table('Events', this.markChoice.heads, 'stacked');
    this.alarmText = el('p', {class: 'alarm'});
    this.alarmTable = new MistakeTable('alarm', 'Mistakes before the alarm', 'No mistakes before the alarm were read.', [],
      id => this.predictions.show(id));
    this.alarmPart = section('Mistakes before the last alarm', null, this.csv('', 'alarm.mistakes'), this.alarmTable.node);
    this.noMarks = el('p', {class: 'quiet'}, 'None yet.');
    this.mistakesTable = new MistakeTable('mistakes', 'Latest mistakes', 'No mistakes were read.',
      [{head: 'Mistakes so far', value: event => event.mistakes, isNumber: true}], id => this.predictions.show(id));
    this.mistakesHint = 'A click on an id shows all fields of the mistake. A mistake whose label and prediction are equal is no error: the last weights were wrong, but what was emitted was right.';
    this.weights = el('div');
    this.causes = new Causes(this.name);
    this.confusion = new ConfusionMatrix();
    this.metrics = new ClassMetrics();
    this.forecasts = new Forecasts(this.range, this.csv('', 'forecasts.ranges'));
    this.settingsNote = el('span');
    this.settingChoice = new RowChoice('settings', 'Search in settings ', [{head: 'Setting', value: ([name]) => name}, {head: 'Value', value: ([, value]) => value},
      {head: 'Default', value: ([name]) => this.known?.get(name)?.defaultValue}, {head: 'What it does', value: ([name]) => this.known?.get(name)?.description}],
    () => this.showSettings(this.details));
    this.settingsTable = table('Settings', this.settingChoice.heads, 'stacked');
    this.advanced = el('button', {type: 'button', 'aria-expanded': 'false', click: () => {
      this.isAdvancedShown = !this.isAdvancedShown;
      this.showSettings(this.details);
    }});
  }

  async load() {
    // by the table, because a request for an unknown model is an error
    if (!this.details && (await get('models', {name: this.name})).total === 0) {
      this.showNothing();
      return;
    }
    this.definitions ??= (await get('settings')).settings;
    try {
      const [details, history, weights, causes] = await Promise.all([
        get(modelPath(this.name)), get(modelPath(this.name, '/history')), get(modelPath(this.name, '/weights')),
        get(modelPath(this.name, '/causes'))]);
      this.show(details, history, weights);
      this.verdict.show(details);
      this.causes.show(causes);
    } catch (failure) {
      // 400: an invalid name, such as one with a slash
      if (!(failure instanceof ApiError && [400, 404].includes(failure.status))) {
        throw failure;
      }
      // after a restart of the monitor, keep the former contents until it has read the model
      if (this.details && await isReading()) {
        return;
      }
      this.details = null;
      this.showNothing();
    }
  }

  showNothing() {
    this.parts.hidden = this.status.hidden = true;
    setText(this.subtitle, '');
    if (!this.nothing.hasChildNodes()) {
      this.nothing.append(empty('There is no model of this name yet.',
        el('p', {}, 'It appears with its first example, for instance after'),
        command(`./perceptron produce FILE --model ${/^[A-Za-z0-9._-]+$/.test(this.name) ? this.name : 'NAME'}`)));
    }
  }

  show(details, history, weights) {
    this.nothing.replaceChildren();
    this.parts.hidden = this.status.hidden = false;
    const {text, tone} = state(details.state);
    setText(this.status, text);
    setAttribute(this.status, 'data-tone', tone);
    this.facts.values.get('tags wrong').parentNode.hidden = !details.tags;
    this.facts.values.get('without a prediction').parentNode.hidden = !details.abstained;
    setText(this.subtitle, `${details.algorithm ?? 'unknown algorithm'}, epoch ${details.epoch}, newest example ${age(details.lastActive)}, `
      + `totals as of ${time(details.lastExample ?? details.timestamp)}`
      + (details.rerouted ? `, ${count(details.rerouted)} records from a wrong partition` : ''));
    const facts = [count(details.examples), `${count(details.errors)} of ${count(details.labelled)}`,
      share(details.errorRate), share(details.windowError), count(details.abstained), share(details.tags ? details.tagErrors / details.tags : null), count(details.mistakes), count(details.marginMistakes),
      count(details.updates), rate(details.examplesPerSecond), count(details.deadLetters)];
    [...this.facts.values.keys()].forEach((name, k) => this.facts.set(name, facts[k]));
    this.norm.set('|w|', real(details.weightNorm));
    this.norm.set('R', real(details.radius));
    this.norm.set('gamma ≤', real(details.gammaUpperBound));
    this.difference.hidden = details.errors === details.mistakes;
    setText(this.ofWeights, weightsText(details));
    this.labels.show(details);
    this.details = details;
    this.history = history;
    this.range.setWindow(details.settings['window.ms']);
    this.forecasts.show(details);
    this.addSample(details);
    this.draw();
    const marks = numbered(history.marks);
    this.showMarks(marks);
    this.droppedMarks.hidden = history.droppedMarks === 0;
    setText(this.droppedMarks, `${count(history.droppedMarks)} earlier events are not shown, neither here nor in the charts.`);
    this.markLine.show(marks);
    this.challengers.show(details, history.trials, marks);
    this.versions.show(details.versions);
    this.showAlarm(details.alarm);
    this.showWeights(weights);
    this.confusion.show(details);
    this.metrics.show(details);
    this.showSettings(details);
  }

  /** Keeps samples of the totals until a window contains them. */
  addSample(details) {
    const now = sample(details);
    const last = this.samples[this.samples.length - 1];
    const closed = this.history.points[this.history.points.length - 1];
    if (last && (now.totalExamples < last.totalExamples || !isSameCount(now, last))) {
      this.samples = [];
    }
    if (now.timestamp !== null && (!last || now.timestamp > last.timestamp || now.totalExamples > last.totalExamples)) {
      this.samples.push(now);
    }
    this.samples = this.samples.filter(each => !closed || each.timestamp >= closed.windowEnd - 1).slice(-MAX_SAMPLES);
  }

  draw() {
    if (!this.details) {
      return;
    }
    const {details} = this;
    this.range.suit(isSparse(this.history));
    const series = coarser(points(this.history, this.samples, this.range.axis), this.range.step(details.labelled));
    const marks = placed(numbered(this.history.marks), this.range.axis, details);
    const times = column(series, point => point.at);
    const bound = novikoff(this.details, this.hasComparator());
    const gamma = Number(this.gamma.value);
    const isGiven = bound && gamma > 0;
    // bounds are about one weight vector: where others were before it, their updates and bounds would be lines of other things
    const {ofWeights} = details;
    const ofPresent = value => point => !ofWeights || point.epoch === details.epoch ? value(point) : null;
    const hasUpdates = details.marginMistakes > 0 || details.updates !== (ofWeights ?? details).mistakes;
    const data = [times,
      column(series, point => point.totalMistakes),
      column(series, ofPresent(point => point.ofWeights?.mistakes)),
      column(series, ofPresent(point => hasUpdates ? point.totalUpdates : null)),
      column(series, ofPresent(point => point.updateBound)),
      column(series, ofPresent(point => isGiven ? bound(point.radius, gamma) : null))];
    this.cumulative.set(data, marks, `${count(details.mistakes)} mistakes in ${count(details.examples)} examples`
      + (ofWeights ? `, ${count(ofWeights.mistakes)} in ${count(ofWeights.examples)} of the present weights` : ''));
    setText(this.boundNote, this.boundText(bound));
    this.gammaForm.hidden = !bound;
    setText(this.gammaNote, !isGiven ? '' : gamma > details.gammaUpperBound
      ? `Impossible: by |w|/M, no separator of these examples has a margin above ${real(details.gammaUpperBound)}.`
      : `Bound on updates: ${count(Math.floor(bound(details.radius, gamma)))}, made: ${count(details.updates)}.`);
    this.error.set([times, column(series, point => point.error), column(series, point => point.runningError),
      column(series, point => point.majorityError), column(series, point => point.sameError)], marks,
      `last window ${share(details.windowError)}, all ${share(details.errorRate)}`);
    setText(this.error.note, this.history.points.length ? joinedNote(series) : 'The first counting window has not ended yet: this is the open one.');
    const certificate = column(series, point => point.gammaUpperBound);
    this.certificate.set([times, certificate], marks, `now ${real(details.gammaUpperBound)}`);
    setText(this.certificate.note, certificate.some(value => value !== null) ? 'No weights separate the examples so far with a larger margin.'
      : 'Not available for this model: it requires weights that are a sum of steps y·x from 0.');
    this.norms.set([times, column(series, point => point.weightNorm), column(series, point => point.radius)], marks,
      `|w| ${real(details.weightNorm)}, R ${real(details.radius)}`);
    this.forecasts.draw(times, series, marks);
  }

  /** Returns true if the updates of the learner are steps along y·x, so that they can be compared with pinned weights. */
  hasComparator() {
    const {algorithm} = this.details;
    const comparator = this.definitions.find(each => each.name === 'comparator');
    return algorithm !== 'auto' && comparator.usedBy.includes(algorithm);
  }

  boundText(bound) {
    const {details} = this;
    const {comparator} = details;
    const sentences = [];
    if (comparator) {
      sentences.push(`Comparator weights u with |u| = ${real(comparator.norm)} and hinge loss L(u) = ${real(comparator.hingeLoss)}: `
        + `at most ${real(comparator.bound)} updates since they were set, made ${count(comparator.updates)}.`);
    } else if (this.hasComparator() && details.updates > 0) {
      sentences.push(`No comparator is set; perceptron models set ${this.name} comparator=${details.updates} sets it `
        + 'and draws the bound R²|u|² + 2L(u).');
    }
    if (bound && details.gammaUpperBound > 0) {
      sentences.push(`(R/gamma)² is at least ${real(bound(details.radius, details.gammaUpperBound))}, because gamma is at most |w|/M.`);
    }
    return sentences.join(' ') || 'No mistake bound applies to this model.';
  }

  showMarks(marks) {
    const rows = this.markChoice.apply(marks.slice().reverse());
    reconcile(this.marksTable.body, rows, mark => `${mark.timestamp} ${mark.kind} ${mark.number}`, mark => {
      const row = el('tr', {}, el('td', {}, String(mark.number)), el('td', {}, time(mark.timestamp)),
        el('td', {'data-tone': mark.isAlert ? 'bad' : null}, mark.isAlert ? `▲ ${mark.kind}` : mark.kind),
        el('td', {class: 'number'}, count(mark.examples)),
        el('td', {class: 'text'}, mark.text));
      return row;
    });
    this.markChoice.node.hidden = marks.length === 0;
    this.marksTable.node.hidden = rows.length === 0;
    this.noMarks.hidden = rows.length > 0;
    setText(this.noMarks, marks.length === 0 ? 'None yet.' : 'No row matches.');
  }

  showAlarm(alarm) {
    this.alarmPart.hidden = this.alarmText.hidden = !alarm;
    if (!alarm) {
      return;
    }
    setText(this.alarmText, `▲ ${alarm.kind} at ${time(alarm.timestamp)}, ${age(alarm.timestamp)}: ${alarm.message}.`);
    this.alarmTable.show(alarm.mistakes);
  }

  async loadMistakes() {
    // empty, and no error, for a model that is not known yet
    const {events} = await get('mistakes', {model: this.name, limit: LATEST});
    this.mistakes = events;
    this.showMistakes();
  }

  mistake(event) {
    this.mistakes.unshift(event);
    this.mistakes.length = Math.min(this.mistakes.length, LATEST);
    // draw once for a burst of events
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.showMistakes();
    });
  }

  showMistakes() {
    const seen = new Set();
    const rows = this.mistakes.filter(event => {
      const id = place(event);
      return seen.has(id) ? false : seen.add(id);
    });
    this.mistakesTable.show(rows);
  }

  showWeights(weights) {
    const version = weights.snapshot ? `${weights.snapshot.epoch} ${weights.snapshot.updates}` : '';
    if (this.weightsShown === version) {
      return;
    }
    this.weightsShown = version;
    if (!weights.snapshot) {
      this.weights.replaceChildren(empty('No weights have been published.',
        el('p', {}, 'To publish them, run'), command(`./perceptron models snapshot ${this.name}`)));
      return;
    }
    const {snapshot} = weights;
    const {node, body} = table('Largest weights', ['Class', 'Feature', {number: 'Weight'}, {number: 'Averaged'}]);
    body.append(...snapshot.top.map(each => el('tr', {}, el('td', {class: 'text'}, each.vector || '–'),
      el('td', {}, each.index === null ? 'bias' : each.names.join(' | ') || String(each.index)), el('td', {class: 'number'}, real(each.weight)),
      el('td', {class: 'number'}, real(each.averaged)))));
    this.weights.replaceChildren(el('p', {class: 'quiet'}, `Snapshot after ${count(snapshot.updates)} updates and ${count(snapshot.examples)} examples: `
      + `${snapshot.top.length} of ${count(snapshot.size)} weights that are not 0.`), node);
  }

  /**
   * Shows the settings, first those that differ from their defaults, without those that the algorithm does not use; advanced ones
   * with their defaults only on request, or where a search finds them.
   */
  showSettings({settings, algorithm}) {
    const known = this.known = new Map(this.definitions.map(each => [each.name, each]));
    const isDefault = ([name, value]) => known.get(name)?.defaultValue === value;
    const isUsed = ([name]) => !algorithm || (known.get(name)?.usedBy.includes(algorithm) ?? true);
    const all = Object.entries(settings).sort();
    const changed = all.filter(entry => !isDefault(entry));
    const others = all.filter(entry => isDefault(entry) && isUsed(entry));
    const unused = all.length - changed.length - others.length;
    const advanced = others.filter(([name]) => known.get(name)?.isAdvanced ?? false);
    const isFolded = !this.isAdvancedShown && this.settingChoice.search.value.trim() === '';
    this.advanced.hidden = advanced.length === 0;
    setText(this.advanced, isFolded ? `Show ${advanced.length} advanced settings` : 'Hide advanced settings');
    setAttribute(this.advanced, 'aria-expanded', String(!isFolded));
    const shownOthers = isFolded ? others.filter(each => !advanced.includes(each)) : others;
    setText(this.settingsNote, `${changed.length} of ${all.length} settings differ from the default`
      + `${changed.length ? ' and come first' : ''}.${unused ? ` The ${unused} that ${algorithm} does not use are left out.` : ''}`);
    reconcile(this.settingsTable.body, this.settingChoice.apply(changed.concat(shownOthers)), ([name]) => name,
      ([name]) => el('tr', {}, el('td', {}, name), el('td', {class: 'text'}), el('td', {class: 'text'}),
        el('td', {class: 'text wide'}, known.get(name)?.description ?? '')),
      (row, [name, value]) => {
        const [, given, usual] = row.children;
        const standard = known.get(name)?.defaultValue;
        setText(given, shown(value));
        setText(usual, standard === value ? 'default' : standard === undefined ? 'unknown' : shown(standard));
        setAttribute(row, 'class', standard === value ? 'default' : 'changed');
      });
  }

  stop() {
    this.poll.stop();
    this.mistakesPoll.stop();
    this.stream.stop();
    this.charts.forEach(chart => chart.stop());
    this.forecasts.stop();
    this.challengers.stop();
  }
}

/** Where points of the chart have several windows, the numbers under the cursor are not those of one. */
function joinedNote(series) {
  const most = Math.max(0, ...series.map(point => point.windows ?? 0));
  return most > 1 ? `A point has up to ${most} counting windows, the last one those since the point before; zoom in to see each.` : '';
}

function shown(value) {
  return value === '' ? '(empty)' : value;
}

function section(title, hint, link, ...children) {
  return el('section', {class: 'part'}, heading(title, link), hint && el('p', {class: 'quiet'}, hint), ...children);
}
