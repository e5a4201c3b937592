// One model: what it learned, what it gets wrong, and what the theorems say of it.

import {ApiError, Poll, Stream, get, isReading, modelPath} from './api.js';
import {Chart} from './chart.js';
import {column, look, novikoff, numbered, points} from './course.js';
import {Facts, command, el, empty, follow, setAttribute, setText, table} from './dom.js';
import {age, count, label, rate, real, share, state, time} from './format.js';
import {ConfusionMatrix} from './confusion.js';

const LATEST = 50;
const MAX_LOOKS = 120;

export class ModelView {
  constructor(name) {
    this.name = name;
    this.title = name;
    this.looks = [];
    this.mistakes = [];
    this.status = el('span', {class: 'chip'});
    this.subtitle = el('p', {class: 'quiet'});
    this.facts = new Facts([
      ['examples', 'seen in this epoch'], ['labelled', 'examples with a label'], ['mistakes', 'of the weights at that time'],
      ['margin mistakes', 'right, but with a margin under h'], ['errors', 'predictions that were wrong'],
      ['error, all', 'errors over labelled'], ['error, last window', 'errors over labelled'],
      ['examples/s', 'of event time, in the last window'], ['updates', 'version of the weights'],
      ['|w|', 'norm of the weights'], ['R', 'largest norm of an example'], ['gamma ≤', 'no separator has a larger margin']]);
    this.makeCharts();
    this.makeTables();
    this.nothing = el('div');
    this.parts = el('div', {hidden: true},
      this.alarmText, this.facts.node,
      el('div', {class: 'charts'}, this.cumulative.node, this.error.node, this.certificate.node, this.norms.node),
      this.alarmPart,
      section('Events', 'Changes and alerts on the time axis of the charts.', this.marksTable.node, this.noMarks),
      section('Latest mistakes', null, this.mistakesTable.node, this.noMistakes),
      el('div', {class: 'pair'},
        section('Largest weights', null, this.weights),
        section('Confusion matrix', null, this.confusion.node)),
      el('div', {class: 'pair'},
        section('Settings', null, this.settingsTable.node),
        section('History of settings', 'The latest first.', this.changesTable.node)));
    this.node = el('section', {},
      el('p', {}, el('a', {href: '#/'}, '◀ all models')),
      el('h1', {}, name, ' ', this.status), this.subtitle, this.nothing, this.parts);
    this.stream = new Stream('mistakes', name, mistake => this.mistake(mistake), () => this.loadMistakes());
    this.mistakesPoll = new Poll(() => this.loadMistakes(), 30_000);
    this.poll = new Poll(() => this.load(), 2000);
  }

  makeCharts() {
    const solid = {line: 'solid', format: count};
    // a bound far above everything would leave the mistakes a flat line at the bottom
    const top = data => 6 * Math.max(1, ...data[1].concat(data[2]).filter(Number.isFinite));
    this.cumulative = new Chart('Mistakes, cumulative, under the bounds that apply', this.name, [
      {label: 'mistakes', colour: 'one', ...solid},
      {label: 'updates', colour: 'two', ...solid, line: 'long'},
      {label: 'bound by comparator', colour: 'three', ...solid, line: 'dashed', format: real},
      {label: 'bound by your gamma', colour: 'four', ...solid, line: 'dotted', format: real}], top);
    this.error = new Chart('Error: of each window, and of all examples', this.name, [
      {label: 'window', colour: 'one', line: 'solid', format: share, isStep: true},
      {label: 'all', colour: 'two', line: 'dashed', format: share}]);
    this.certificate = new Chart('Margin certificate: gamma is at most |w|/M', this.name, [
      {label: 'gamma ≤', colour: 'one', line: 'solid', format: real}]);
    this.norms = new Chart('Norm of the weights |w|, largest example R', this.name, [
      {label: '|w|', colour: 'one', line: 'solid', format: real},
      {label: 'R', colour: 'two', line: 'dashed', format: real}]);
    this.gamma = el('input', {type: 'number', min: '0', step: 'any', inputmode: 'decimal', id: 'gamma', placeholder: '0.05', input: () => this.draw()});
    this.gammaNote = el('span');
    this.cumulative.node.append(this.gammaForm = el('p', {class: 'note', hidden: true},
      el('label', {for: 'gamma'}, 'A margin gamma that you know of: ', this.gamma), ' ', this.gammaNote));
  }

  makeTables() {
    this.marksTable = table('Events', ['No.', 'Time', 'What', 'Text'], 'stacked');
    this.alarmText = el('p', {class: 'alarm'});
    this.alarmTable = table('Mistakes before the alarm', ['Time', 'Id', 'Kind', 'Label', 'Predicted', {number: 'Score'}, {number: 'Margin'}]);
    this.noAlarmMistakes = el('p', {class: 'quiet'}, 'No mistake before it was read.');
    this.alarmPart = section('Mistakes before the last alarm', null, this.alarmTable.node, this.noAlarmMistakes);
    this.noMarks = el('p', {class: 'quiet'}, 'None yet.');
    this.mistakesTable = table('Latest mistakes', ['Time', 'Id', 'Kind', 'Label', 'Predicted', {number: 'Score'}, {number: 'Margin'}, {number: 'Mistakes so far'}]);
    this.noMistakes = el('p', {class: 'quiet'}, 'None was read.');
    this.weights = el('div');
    this.confusion = new ConfusionMatrix();
    this.settingsTable = table('Settings', ['Setting', 'Value']);
    this.changesTable = table('History of settings', ['Time', 'Command', 'State', {number: 'At example'}, 'What changed']);
  }

  async load() {
    try {
      const [details, history, weights] = await Promise.all([
        get(modelPath(this.name)), get(modelPath(this.name, '/history')), get(modelPath(this.name, '/weights'))]);
      this.show(details, history, weights);
    } catch (failure) {
      // 400: a name that no model can have, such as one with a slash
      if (!(failure instanceof ApiError && [400, 404].includes(failure.status))) {
        throw failure;
      }
      // after a restart the model is known again in a moment; meanwhile, what was known is worth more than nothing
      if (this.details && await isReading()) {
        return;
      }
      this.parts.hidden = true;
      if (!this.nothing.hasChildNodes()) {
        this.nothing.append(empty('There is no model of this name yet.',
          el('p', {}, 'It appears here with its first example, for instance by'),
          command(`./perceptron produce FILE --model ${/^[A-Za-z0-9._-]+$/.test(this.name) ? this.name : 'NAME'}`)));
      }
    }
  }

  show(details, history, weights) {
    const {summary} = details;
    this.nothing.replaceChildren();
    this.parts.hidden = false;
    const {text, tone} = state(summary.state);
    setText(this.status, text);
    setAttribute(this.status, 'data-tone', tone);
    setText(this.subtitle, `${summary.algorithm ?? 'unknown algorithm'}, epoch ${summary.epoch}, newest event ${age(summary.lastActive)}`
      + (summary.rerouted ? `, ${count(summary.rerouted)} records came by a wrong partition` : ''));
    const facts = [count(summary.examples), count(summary.labelled), count(summary.mistakes), count(summary.marginMistakes),
      count(summary.errors), share(summary.errorRate), share(summary.windowError), rate(summary.examplesPerSecond),
      count(summary.version), real(summary.weightNorm), real(summary.radius), real(summary.gammaCeiling)];
    [...this.facts.values.keys()].forEach((name, k) => this.facts.set(name, facts[k]));
    this.details = details;
    this.history = history;
    this.remember(details);
    this.draw();
    this.showMarks(numbered(history.marks));
    this.showAlarm(details.alarm);
    this.showWeights(weights);
    this.confusion.show(details);
    this.showSettings(details);
  }

  /** Keeps the totals of this look until a window holds them. */
  remember(details) {
    const now = look(details);
    const last = this.looks[this.looks.length - 1];
    const closed = this.history.points.length ? this.history.points[this.history.points.length - 1].windowEnd : -Infinity;
    if (last && now.totalExamples < last.totalExamples) {
      this.looks = [];
    }
    if (now.at !== null && (!last || now.at > last.at)) {
      this.looks.push(now);
    }
    this.looks = this.looks.filter(each => each.at > closed).slice(-MAX_LOOKS);
  }

  draw() {
    if (!this.details) {
      return;
    }
    const {summary} = this.details;
    const course = points(this.history.points, this.looks);
    const marks = numbered(this.history.marks);
    const times = column(course, point => point.at / 1000);
    const bound = novikoff(this.details);
    const gamma = Number(this.gamma.value);
    const isGiven = bound && gamma > 0;
    const data = [times,
      column(course, point => point.totalMistakes),
      column(course, point => summary.marginMistakes > 0 || summary.version !== summary.mistakes ? point.totalUpdates : null),
      column(course, point => point.updateBound),
      column(course, point => isGiven ? bound(point.radius, gamma) : null)];
    this.cumulative.set(data, marks, `${count(summary.mistakes)} mistakes in ${count(summary.examples)} examples`);
    setText(this.cumulative.note, this.boundText(bound));
    this.gammaForm.hidden = !bound;
    setText(this.gammaNote, !isGiven ? '' : gamma > summary.gammaCeiling
      ? `No: |w|/M shows that nothing separates these examples with more than ${real(summary.gammaCeiling)}.`
      : `Bound on updates: ${count(Math.floor(bound(summary.radius, gamma)))}, made: ${count(summary.version)}.`);
    this.error.set([times, column(course, point => point.error), column(course, point => point.runningError)], marks,
      `last window ${share(summary.windowError)}, all ${share(summary.errorRate)}`);
    setText(this.error.note, this.history.points.length ? '' : `The first window of ${this.details.settings['window.ms'] ?? '10000'} ms has not closed yet.`);
    const certificate = column(course, point => point.gammaCeiling);
    this.certificate.set([times, certificate], marks, `now ${real(summary.gammaCeiling)}`);
    setText(this.certificate.note, certificate.some(value => value !== null) ? 'No weights separate the examples so far with a larger margin.'
      : 'There is none for this model: it needs weights that are a sum of steps y·x from 0.');
    this.norms.set([times, column(course, point => point.weightNorm), column(course, point => point.radius)], marks,
      `|w| ${real(summary.weightNorm)}, R ${real(summary.radius)}`);
  }

  boundText(bound) {
    const {summary, comparator} = this.details;
    const said = [];
    if (comparator) {
      said.push(`Beside the pinned weights u, |u| = ${real(comparator.norm)} and hinge loss L(u) = ${real(comparator.hingeLoss)}: `
        + `at most ${real(comparator.bound)} updates since, made ${count(comparator.updates)}.`);
    } else if (summary.algorithm === 'perceptron' && summary.version > 0) {
      said.push(`No weights are pinned to compare with; perceptron models set ${this.name} comparator=${summary.version} does, `
        + 'and draws R²|u|² + 2L(u).');
    }
    if (bound && summary.gammaCeiling > 0) {
      said.push(`(R/gamma)² is at least ${real(bound(summary.radius, summary.gammaCeiling))}, for gamma is at most |w|/M; how much more, the data do not tell.`);
    }
    return said.join(' ') || 'No mistake bound is known to hold for this model.';
  }

  showMarks(marks) {
    follow(this.marksTable.body, marks.slice().reverse(), mark => `${mark.timestamp} ${mark.kind} ${mark.number}`, mark => {
      const row = el('tr', {}, el('td', {}, String(mark.number)), el('td', {}, time(mark.timestamp)),
        el('td', {'data-tone': mark.isAlert ? 'bad' : null}, mark.isAlert ? `▲ ${mark.kind}` : mark.kind),
        el('td', {class: 'text'}, mark.text));
      return row;
    });
    this.marksTable.node.hidden = marks.length === 0;
    this.noMarks.hidden = marks.length > 0;
  }

  showAlarm(alarm) {
    this.alarmPart.hidden = this.alarmText.hidden = !alarm;
    if (!alarm) {
      return;
    }
    setText(this.alarmText, `▲ ${alarm.kind} at ${time(alarm.timestamp)}, ${age(alarm.timestamp)}: ${alarm.text}.`);
    follow(this.alarmTable.body, alarm.mistakes, place, event => el('tr', {}, ...mistakeCells(event)));
    this.alarmTable.node.hidden = alarm.mistakes.length === 0;
    this.noAlarmMistakes.hidden = alarm.mistakes.length > 0;
  }

  async loadMistakes() {
    const {events} = await get(modelPath(this.name, '/mistakes'), {limit: LATEST});
    this.mistakes = events;
    this.showMistakes();
  }

  mistake(event) {
    this.mistakes.unshift(event);
    this.mistakes.length = Math.min(this.mistakes.length, LATEST);
    // a burst is drawn once
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
    follow(this.mistakesTable.body, rows, place, event => el('tr', {}, ...mistakeCells(event),
      el('td', {class: 'number'}, count(event.mistakes))));
    this.mistakesTable.node.hidden = rows.length === 0;
    this.noMistakes.hidden = rows.length > 0;
  }

  showWeights(weights) {
    const version = weights.snapshot ? `${weights.snapshot.epoch} ${weights.snapshot.version}` : '';
    if (this.weightsShown === version) {
      return;
    }
    this.weightsShown = version;
    if (!weights.snapshot) {
      this.weights.replaceChildren(empty('No weights have been published.',
        el('p', {}, 'Weights stay with the engine until they are asked for:'), command(`./perceptron models snapshot ${this.name}`)));
      return;
    }
    const {snapshot} = weights;
    const {node, body} = table('Largest weights', ['Class', 'Feature', {number: 'Weight'}, {number: 'Averaged'}]);
    body.append(...snapshot.top.map(each => el('tr', {}, el('td', {class: 'text'}, each.vector || '–'),
      el('td', {}, each.index === null ? 'bias' : String(each.index)), el('td', {class: 'number'}, real(each.weight)),
      el('td', {class: 'number'}, real(each.averaged)))));
    this.weights.replaceChildren(el('p', {class: 'quiet'}, `Snapshot of version ${snapshot.version}, after ${count(snapshot.examples)} examples: `
      + `${snapshot.top.length} of ${count(snapshot.size)} weights that are not 0.`), node);
  }

  showSettings({settings, changes}) {
    follow(this.settingsTable.body, Object.entries(settings).sort(), ([name]) => name,
      ([name]) => el('tr', {}, el('td', {}, name), el('td', {class: 'text'})),
      (row, [, value]) => setText(row.lastChild, value === '' ? '(empty)' : value));
    follow(this.changesTable.body, changes.slice().reverse(), change => `${change.timestamp} ${change.cause} ${change.epoch} ${change.version}`,
      change => el('tr', {}, el('td', {}, time(change.timestamp)), el('td', {}, change.cause),
        el('td', {}, state(change.state).text), el('td', {class: 'number'}, count(change.examples)),
        el('td', {class: 'text'}, differences(change.changed))));
  }

  stop() {
    this.poll.stop();
    this.mistakesPoll.stop();
    this.stream.stop();
    [this.cumulative, this.error, this.certificate, this.norms].forEach(chart => chart.stop());
  }
}

function place(event) {
  return `${event.partition}-${event.offset}`;
}

function mistakeCells(event) {
  return [el('td', {}, time(event.timestamp)), el('td', {class: 'text'}, event.exampleId),
    el('td', {}, event.kind === 'MISTAKE' ? 'mistake' : 'margin'), el('td', {class: 'text'}, label(event.label)),
    el('td', {class: 'text'}, label(event.predicted)), el('td', {class: 'number'}, real(event.score)),
    el('td', {class: 'number'}, real(event.margin))];
}

function differences(changed) {
  const pairs = Object.entries(changed).sort();
  return pairs.length > 12 ? `all ${pairs.length} settings` : pairs.map(([name, value]) => `${name}=${value}`).join(', ') || '–';
}

function section(title, hint, ...children) {
  return el('section', {class: 'part'}, el('h2', {}, title), hint && el('p', {class: 'quiet'}, hint), ...children);
}
