// View of several models beside each other: their ranking, totals, and the same charts with a line for each.

import {ApiError, Poll, get, modelPath} from './api.js';
import {Chart, LINES} from './chart.js';
import {ModelPicker} from './picker.js';
import {ChartRange} from './range.js';
import {Ranking} from './ranking.js';
import {csv, el, empty, setText, table} from './dom.js';
import {age, count, real, share, state} from './format.js';
import {ERROR_OR_MISTAKE} from './terms.js';
import {coarser, isSparse, points} from './series.js';

const ROWS = [
  ['state', model => state(model.state).text], ['algorithm', model => model.algorithm ?? '–'],
  ['newest example', model => age(model.lastActive)],
  ['examples', model => count(model.examples)], ['errors', model => count(model.errors)],
  ['error, last window', model => share(model.windowError)], ['mistakes', model => count(model.mistakes)],
  ['margin mistakes', model => count(model.marginMistakes)], ['|w|', model => real(model.weightNorm)],
  ['R', model => real(model.radius)], ['gamma ≤', model => real(model.gammaUpperBound)],
  ['dead letters', model => count(model.deadLetters)],
];

const CHARTS = [
  ['Error of each window', point => point.error, share, true],
  ['Error of all examples', point => point.runningError, share],
  ['Mistakes, cumulative', point => point.totalMistakes, count],
  ['Norm of the weights |w|', point => point.weightNorm, real],
];

/** Number of models that the lines of a chart can distinguish. */
export const MAX_COMPARED = LINES.length;

export class ComparisonView {
  constructor(given) {
    const names = [...new Set(given)].slice(0, MAX_COMPARED);
    this.names = names;
    this.title = names.join(' and ');
    this.range = new ChartRange(() => this.draw());
    this.charts = CHARTS.map(([title, , format, isStep]) => new Chart(title, this.range, names.map((name, k) => ({
      label: name, format, isStep: Boolean(isStep), isConnected: true, ...LINES[k]}))));
    this.ranking = new Ranking(names);
    this.totals = table('Totals', ['', ...names.map(name => ({number: name}))]);
    this.cells = ROWS.map(([name]) => {
      const cells = names.map(() => el('td', {class: 'number'}, '–'));
      this.totals.body.append(el('tr', {}, el('th', {scope: 'row'}, name), ...cells));
      return cells;
    });
    this.settings = table('Settings that differ', ['Setting', ...names]);
    this.noSettings = el('p', {class: 'quiet'}, 'None.');
    this.nothing = el('div');
    this.missing = el('p', {class: 'note'});
    const isFull = names.length === MAX_COMPARED;
    this.picker = isFull ? null : new ModelPicker('Add ', 'Add', other => {
      location.hash = compareHash(...names, other);
    });
    this.parts = el('div', {hidden: true}, el('p', {class: 'quiet'}, ERROR_OR_MISTAKE), this.ranking.node,
      el('section', {class: 'part'}, el('h2', {}, 'Totals'), this.totals.node),
      el('section', {class: 'part'}, this.range.node,
        el('p', {class: 'quiet'}, 'Numbers of the charts: ', ...names.map(name => el('span', {}, csv(modelPath(name, '/history'), 'points', [], name), ' '))),
        this.missing, el('div', {class: 'charts'}, ...this.charts.map(chart => chart.node))),
      el('section', {class: 'part'}, el('h2', {}, 'Settings that differ'), this.settings.node, this.noSettings,
        el('p', {class: 'quiet'}, 'All settings: ', ...names.map(name => el('span', {}, csv(modelPath(name), 'settings', [], name), ' ')))));
    this.node = el('section', {},
      el('p', {}, el('a', {href: '#/'}, '◀ all models')),
      el('h1', {}, ...names.flatMap((name, k) => [k === 0 ? '' : ' and ', modelLink(name)])),
      el('div', {class: 'tools'}, this.picker?.node,
        ...names.length > 2 ? names.map(name => el('a', {href: compareHash(...names.filter(each => each !== name))}, `without ${name}`)) : []),
      this.nothing, this.parts);
    this.poll = new Poll(() => this.load(), 2000);
  }

  async load() {
    let answers;
    try {
      answers = await Promise.all(this.names.map(name => Promise.all([get(modelPath(name)), get(modelPath(name, '/history'))])));
    } catch (failure) {
      if (!(failure instanceof ApiError && [400, 404].includes(failure.status))) {
        throw failure;
      }
      this.parts.hidden = true;
      this.nothing.replaceChildren(empty('One of these models is not there.'));
      return;
    }
    this.nothing.replaceChildren();
    this.parts.hidden = false;
    this.show(answers.map(([details]) => details), answers.map(([, history]) => history));
  }

  show(details, histories) {
    this.ranking.show(details, histories);
    ROWS.forEach(([, value], row) => details.forEach((each, k) => setText(this.cells[row][k], value(each))));
    this.range.setWindow(Math.max(...details.map(each => Number(each.settings['window.ms']) || 0)));
    this.histories = histories;
    this.draw();
    this.showSettings(details.map(each => each.settings));
  }

  draw() {
    if (!this.histories) {
      return;
    }
    this.range.suit(this.histories.some(isSparse));
    const all = this.histories.map(history => points(history, [], this.range.axis));
    const step = this.range.step(Math.max(0, ...all.flat().map(point => point.at)));
    const series = all.map(each => coarser(each, step));
    setText(this.missing, this.names.filter((_, k) => series[k].length === 0)
      .map(name => `${name} has no counting window yet, so the charts do not show it: it has seen no example, or its counts are no longer in their topic.`).join(' '));
    const times = [...new Set(series.flat().map(point => point.at))].sort((a, b) => a - b);
    const byTime = series.map(each => new Map(each.map(point => [point.at, point])));
    this.charts.forEach((chart, k) => {
      const [, value] = CHARTS[k];
      chart.set([times, ...byTime.map(known => times.map(at => known.has(at) ? value(known.get(at)) ?? null : null))], [],
        this.names.join(' and '));
    });
  }

  showSettings(all) {
    const names = [...new Set(all.flatMap(Object.keys))].filter(name => all.some(each => each[name] !== all[0][name])).sort();
    const text = JSON.stringify(names.map(name => [name, ...all.map(each => each[name])]));
    if (text !== this.settingsShown) {
      this.settingsShown = text;
      this.settings.body.replaceChildren(...names.map(name => el('tr', {}, el('th', {scope: 'row'}, name),
        ...all.map(each => el('td', {class: 'text'}, each[name] === '' ? '(empty)' : each[name] ?? '–')))));
    }
    this.settings.node.hidden = names.length === 0;
    this.noSettings.hidden = names.length > 0;
  }

  stop() {
    this.poll.stop();
    this.charts.forEach(chart => chart.stop());
  }
}

export function compareHash(...names) {
  return `#/compare/${names.map(encodeURIComponent).join('/')}`;
}

function modelLink(name) {
  return el('a', {href: `#/models/${encodeURIComponent(name)}`}, name);
}
