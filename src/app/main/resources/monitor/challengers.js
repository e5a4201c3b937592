// Challengers of a model: errors over examples, errors on the same examples, and the evidence of their trials.

import {modelPath} from './api.js';
import {Chart, LINES} from './chart.js';
import {command, csv, el, heading, reconcile, setAttribute, setText, table} from './dom.js';
import {count, share, word} from './format.js';
import {ChartRange} from './range.js';
import {placed, trialSeries} from './series.js';

/** Table of the challengers, with the command that promotes each, and charts; hidden for models without any. */
export class Challengers {
  constructor(model) {
    this.model = model;
    this.table = table('Challengers', ['Challenger', 'Settings that differ', {number: 'Compared examples'}, {number: 'Error of the challenger'}, {number: 'Error of the model'},
      'Evidence', 'Trial'], 'stacked');
    this.range = new ChartRange(() => this.draw(), 'examples', 'trial-');
    this.vote = el('p', {hidden: true});
    this.plots = el('div', {class: 'charts'});
    this.charts = [];
    this.node = el('section', {class: 'part', hidden: true}, heading('Challengers', csv(modelPath(model), 'challengers')),
      el('p', {class: 'quiet'}, 'Models that learn the same examples with other settings. Errors are of the labelled examples that both predicted since the trial began.'),
      this.vote, this.table.node, this.range.node, el('p', {class: 'quiet'}, 'Numbers of the charts: ', csv(modelPath(model, '/history'), 'trials')), this.plots);
  }

  /** Shows the details of a model, the trials of its history, and its numbered marks. */
  show(details, trials, marks) {
    const {challengers} = details;
    this.node.hidden = challengers.length === 0;
    this.vote.hidden = details.vote === null;
    if (details.vote !== null) {
      setText(this.vote, `The model predicts by a vote, in which its own label has ${share(details.vote)} of the weights; errors of the model are those of the vote.`);
    }
    reconcile(this.table.body, challengers, each => `${each.name} ${each.epoch}`, each => this.row(each), (row, each) => {
      const {bar, numbers, trial, counts, settings} = row.parts;
      // a promotion changes with which settings they are compared
      setText(settings, Object.entries(each.settings).map(([name, value]) => `${name}=${value}`).join(' ') || 'none');
      setText(counts[0], count(each.labelled));
      setText(counts[1], share(each.labelled ? each.errors / each.labelled : null));
      setText(counts[2], share(each.labelled ? each.championErrors / each.labelled : null));
      bar.hidden = each.vote !== null;
      bar.max = each.threshold;
      bar.value = Math.max(0, Math.min(each.evidence, each.threshold));
      setText(numbers, each.vote !== null ? '' : `${each.evidence.toFixed(2)} of ${each.threshold.toFixed(2)}`);
      setText(trial, verdict(each));
      setAttribute(trial, 'data-tone', each.vote !== null ? null : {BETTER: 'good', WORSE: 'bad'}[each.verdict] ?? null);
    });
    this.names = challengers.map(each => each.name);
    this.trials = trials;
    this.marks = placed(marks, 'examples', details);
    this.makeCharts();
    this.draw();
  }

  /** Makes charts with a line for the model and each challenger, unless there are such already. */
  makeCharts() {
    const key = this.names.join(' ');
    if (key === this.charted) {
      return;
    }
    this.charted = key;
    this.stop();
    const lines = this.names.map((name, k) => ({label: name, ...LINES[k + 1]}));
    this.charts = this.names.length === 0 ? [] : [
      new Chart('Error of the model and its challengers', this.range, [{label: this.model, ...LINES[0]}, ...lines]
        .map(line => ({...line, format: share, isStep: true}))),
      new Chart('Errors fewer than the model, since the trial began', this.range,
        lines.map(line => ({...line, format: count, isSigned: true})))];
    this.plots.replaceChildren(...this.charts.map(chart => chart.node));
  }

  draw() {
    if (!this.names?.length) {
      return;
    }
    const last = this.trials[this.trials.length - 1]?.labelled ?? 0;
    const {places, model, challengers} = trialSeries(this.trials, this.names, this.range.step(last));
    const now = challengers.map(({lead}, k) => `${this.names[k]} ${count(lead.findLast(each => each !== null))} fewer errors`).join(', ');
    this.charts[0].set([places, model, ...challengers.map(each => each.error)], this.marks, now);
    this.charts[1].set([places, ...challengers.map(each => each.lead)], this.marks, now);
  }

  row(challenger) {
    const bar = el('progress', {'aria-label': 'Evidence, and the evidence that is enough'});
    const numbers = el('span', {class: 'quiet'});
    const trial = el('td', {class: 'text'});
    const counts = [1, 2, 3].map(() => el('td', {class: 'number'}));
    const settings = el('span');
    // a shadow takes over by itself
    const promote = challenger.name === 'drift' ? null : command(`./perceptron challengers promote ${word(this.model)} ${challenger.name}`);
    const row = el('tr', {}, el('td', {}, challenger.name), el('td', {}, settings, promote), ...counts,
      el('td', {}, bar, el('br'), numbers), trial);
    row.parts = {bar, numbers, trial, counts, settings};
    return row;
  }

  stop() {
    this.charts.forEach(chart => chart.stop());
  }
}

/** The verdict in words, with the number of examples to come. */
function verdict({verdict: found, labelled, remaining, promote, vote}) {
  if (vote !== null) {
    return `votes, with ${share(vote)} of the weights`;
  }
  if (found === 'BETTER') {
    return promote === 'auto' ? 'better, promoted by itself' : 'better';
  }
  if (found === 'WORSE') {
    return 'worse';
  }
  if (labelled === 0) {
    return 'not begun yet';
  }
  return remaining === null ? 'open, no verdict in sight' : `open: about ${count(remaining)} more examples`;
}
