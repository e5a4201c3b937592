// View of all models: one page of a table that the monitor searches and sorts.

import {chosen, keep} from './address.js';
import {Poll, get, isReading} from './api.js';
import {compareHash, MAX_COMPARED} from './compare.js';
import {command, csv, csvAddress, el, empty, heading, reconcile, setAttribute, setText, svg, table} from './dom.js';
import {age, count, rate, share, state, time} from './format.js';
import {ERROR_OR_MISTAKE} from './terms.js';

const PAGE = 50;
const ALARMS = 5;
// advice among them is not shown here
const ALERTS = 50;
const COLUMNS = [
  ['name', 'Model', ''],
  ['algorithm', 'Algorithm', ''],
  ['state', 'State', ''],
  ['examples', 'Examples', 'since the model began, or its last reset'],
  ['errors', 'Errors', 'wrong emitted labels'],
  ['errorRate', 'Error, all', 'errors over labelled examples, both as of the last status'],
  ['kappa', 'Kappa', 'agreement of emitted and true labels beyond chance: 1 if all are right'],
  ['deadLetters', 'Dead letters', 'rejected records of this model, in no error rate, as far as they were read'],
  ['windowError', 'Error, last window', 'errors over labelled examples of the last counting window'],
  [null, 'Trend', 'error of the last 24 points of the history, and the largest of them'],
  ['mistakes', 'Mistakes', 'wrong answers of the last weights'],
  ['examplesPerSecond', 'Examples/s', 'of event time, in the last window'],
  ['lastActive', 'Last example', 'event time of the newest example or label; commands do not count'],
];
const STATES = ['LIVE', 'FROZEN', 'QUARANTINED', 'DELETED'];
const EXAMPLE = './perceptron produce FILE.csv --model NAME --label-column COLUMN';

const USUAL = {q: '', state: '', sort: 'lastActive', order: 'desc', offset: 0};

/** Kept while the page is open, so that the user returns from a model to the same rows, and in the address. */
const choice = {...USUAL};

/** The last answer, with whose rows the table begins, so that it is as long as before. */
let lastPage = null;

/** Takes the valid choices of the address, if it has any. */
function readAddress() {
  const given = Object.fromEntries(chosen());
  if (Object.keys(given).length === 0) {
    return;
  }
  const offset = Number(given.offset ?? 0);
  Object.assign(choice, USUAL, {
    q: given.q ?? '',
    state: STATES.includes(given.state) ? given.state : '',
    sort: COLUMNS.some(([sort]) => sort && sort === given.sort) ? given.sort : USUAL.sort,
    order: given.order === 'asc' ? 'asc' : 'desc',
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  });
}

function writeAddress() {
  keep(Object.fromEntries(Object.entries(choice).map(([name, value]) => [name, value === USUAL[name] ? null : value])));
}

export class ModelsView {
  constructor() {
    this.options = '';
    this.title = 'Models';
    readAddress();
    writeAddress();
    this.total = el('p', {class: 'quiet', role: 'status'});
    this.search = el('input', {type: 'search', id: 'search', placeholder: 'part of a name', autocomplete: 'off', spellcheck: 'false',
      value: choice.q, input: () => this.choose({q: this.search.value.trim()})});
    this.states = el('select', {id: 'state', change: () => this.choose({state: this.states.value})},
      el('option', {value: ''}, 'any'), ...STATES.map(name => el('option', {value: name}, state(name).text)));
    this.states.value = choice.state;
    this.sorts = el('select', {id: 'sort', change: () => {
      const [sort, order] = this.sorts.value.split(' ');
      this.choose({sort, order});
    }}, ...COLUMNS.filter(([sort]) => sort).flatMap(([sort, head]) => ['asc', 'desc'].map(order =>
      el('option', {value: `${sort} ${order}`}, `${head} ${order === 'asc' ? '▲' : '▼'}`))));
    this.compare = el('a', {hidden: true});
    this.download = csv('models', 'models');
    this.heads = COLUMNS.map(([sort, head, hint]) => el('th', {scope: 'col', title: hint || null, class: sort && isNumber(sort) ? 'number' : null},
      sort ? el('button', {type: 'button', click: () => this.sortBy(sort)}, head) : head));
    this.body = el('tbody');
    this.table = el('table', {class: 'models'}, el('caption', {class: 'hidden-text'}, 'Models'),
      el('thead', {}, el('tr', {}, ...this.heads)), this.body);
    this.before = el('button', {type: 'button', click: () => this.turn(-PAGE)}, '◀ previous');
    this.after = el('button', {type: 'button', click: () => this.turn(PAGE)}, 'next ▶');
    this.where = el('span', {class: 'quiet'});
    this.pager = el('nav', {class: 'pager', 'aria-label': 'Pages', hidden: true}, this.before, this.where, this.after);
    this.nothing = el('div');
    this.alarms = table('Latest alarms', ['Time', 'Model', 'Kind', 'Text'], 'stacked');
    this.alarmPart = el('section', {class: 'part', hidden: true}, heading('Latest alarms', csv('alerts', 'events', [['limit', 200]])), this.alarms.node);
    this.node = el('section', {},
      el('h1', {}, 'Models'),
      el('p', {class: 'quiet'}, ERROR_OR_MISTAKE),
      el('div', {class: 'tools'},
        el('label', {for: 'search'}, 'Search ', this.search),
        el('label', {for: 'state'}, 'State ', this.states),
        el('label', {for: 'sort', class: 'narrow-only'}, 'Sort by ', this.sorts),
        this.compare, this.download, this.total),
      this.nothing, el('div', {class: 'sideways'}, this.table), this.pager, this.alarmPart);
    this.table.hidden = true;
    if (lastPage) {
      this.show(lastPage, false);
    }
    this.poll = new Poll(() => this.load(), 2000);
  }

  choose(change) {
    this.found = 0;
    Object.assign(choice, {offset: 0}, change);
    writeAddress();
    this.poll.now();
  }

  sortBy(sort) {
    const first = ['name', 'algorithm', 'state'].includes(sort) ? 'asc' : 'desc';
    const other = choice.order === 'asc' ? 'desc' : 'asc';
    this.choose({sort, order: choice.sort === sort ? other : first});
  }

  turn(by) {
    this.choose({offset: Math.max(0, choice.offset + by)});
  }

  async load() {
    const [page, alerts] = await Promise.all([get('models', {...choice, limit: PAGE}), get('alerts', {limit: ALERTS})]);
    if (page.models.length === 0 && page.total > 0) {
      choice.offset = 0;
      writeAddress();
    }
    const isPartial = page.total < (this.found ?? 1) && await isReading();
    // after a restart of the monitor, keep the former rows until it has read all models
    if (!isPartial || !this.found) {
      this.found = isPartial ? 0 : page.total;
      lastPage = isPartial ? null : page;
      this.show(page, isPartial);
      this.showAlarms(alerts.events.filter(event => event.kind !== 'ADVICE').slice(0, ALARMS));
    }
  }

  show(page, isPartial) {
    const isFiltered = choice.q !== '' || choice.state !== '';
    setText(this.total, `${count(page.total)} ${page.total === 1 ? 'model' : 'models'}${isFiltered ? ' found' : ''}`
      + (page.droppedModels ? `; ${count(page.droppedModels)} inactive ones are not shown` : ''));
    COLUMNS.forEach(([sort], k) => setAttribute(this.heads[k], 'aria-sort',
      sort === choice.sort ? {asc: 'ascending', desc: 'descending'}[choice.order] : null));
    this.sorts.value = `${choice.sort} ${choice.order}`;
    reconcile(this.body, page.models, ({model}) => model, model => this.row(model), (row, model) => row.fill(model));
    this.table.hidden = page.total === 0;
    this.compare.hidden = page.models.length < 2;
    setText(this.compare, page.total > MAX_COMPARED ? `Compare the first ${MAX_COMPARED}` : 'Compare these');
    setAttribute(this.compare, 'href', compareHash(...page.models.slice(0, MAX_COMPARED).map(({model}) => model)));
    // as many as one answer has
    setAttribute(this.download, 'href', csvAddress('models', 'models', Object.entries({...choice, limit: 200}).filter(([, value]) => value !== '')));
    this.pager.hidden = page.total <= PAGE;
    this.before.disabled = page.offset === 0;
    this.after.disabled = page.offset + page.models.length >= page.total;
    setText(this.where, `${count(page.offset + 1)} to ${count(page.offset + page.models.length)} of ${count(page.total)}`);
    const reason = page.total > 0 ? '' : isPartial ? 'reading' : isFiltered ? 'filter' : 'empty';
    if (this.reason !== reason) {
      this.reason = reason;
      this.nothing.replaceChildren(...this.emptiness(reason));
    }
  }

  showAlarms(events) {
    this.alarmPart.hidden = events.length === 0;
    reconcile(this.alarms.body, events, event => `${event.partition}-${event.offset}`,
      event => el('tr', {}, el('td', {}, time(event.timestamp)),
        el('td', {class: 'text'}, el('a', {href: `#/models/${encodeURIComponent(event.model)}`}, event.model)),
        el('td', {'data-tone': 'bad'}, `▲ ${event.kind}`), el('td', {class: 'text'}, event.message)));
  }

  /** The options with which a command finds the brokers and the registry of this engine. */
  engine(engine) {
    if (engine && this.options !== engine.commandOptions) {
      this.options = engine.commandOptions;
      if (this.reason === 'empty') {
        this.nothing.replaceChildren(...this.emptiness('empty'));
      }
    }
  }

  emptiness(reason) {
    if (reason === 'empty') {
      return [empty('No model has seen an example yet.',
        el('p', {}, 'A model appears with its first example, or when it is configured. Send a table with a column of labels:'),
        command(`${EXAMPLE} ${this.options}`.trim()),
        el('p', {class: 'quiet'}, 'The ', el('a', {href: '/docs/quickstart.md'}, 'quickstart'), ' has a table to try and every step; any producer can send examples, see ',
          el('a', {href: '/docs/clients.md'}, 'clients'), '.'))];
    }
    if (reason === 'reading') {
      return [empty('Reading the topics of the engine …')];
    }
    if (reason === 'filter') {
      return [empty('No matching models.', el('button', {type: 'button', click: () => {
        this.search.value = this.states.value = '';
        this.choose({q: '', state: ''});
      }}, 'Show all models'))];
    }
    return [];
  }

  row({model}) {
    const cells = COLUMNS.map(([sort, head]) => el('td', {'data-label': head, class: sort && isNumber(sort) ? 'number' : null}));
    const link = el('a', {href: `#/models/${encodeURIComponent(model)}`, 'data-row': true}, model);
    const [name, algorithm, status, examples, errors, all, kappa, letters, error, trend, mistakes, speed, active] = cells;
    const line = svg('path', {class: 'spark'});
    const drawing = svg('svg', {viewBox: '0 0 96 24', width: 96, height: 24, role: 'img'}, line);
    name.append(link);
    const most = el('span', {class: 'quiet'});
    trend.append(el('div', {class: 'trend'}, drawing, most));
    const row = el('tr', {}, ...cells);
    row.fill = filled => {
      const {text, tone} = state(filled.state);
      setText(algorithm, filled.algorithm ?? '–');
      setText(status, text);
      setAttribute(status, 'data-tone', tone);
      setText(examples, count(filled.examples));
      [examples, errors, all, kappa, mistakes].forEach(cell => setAttribute(cell, 'title', `as of ${time(filled.lastExample ?? filled.timestamp)}`));
      setText(errors, count(filled.errors));
      setText(all, share(filled.errorRate));
      setText(kappa, share(filled.kappa));
      setText(mistakes, count(filled.mistakes));
      setText(letters, count(filled.deadLetters));
      setAttribute(letters, 'data-tone', filled.deadLetters > 0 ? 'warn' : null);
      setText(most, filled.sparkline.some(each => each !== null) ? `≤ ${share(Math.max(...filled.sparkline))}` : '');
      setText(error, share(filled.windowError));
      setText(speed, rate(filled.examplesPerSecond));
      setText(active, age(filled.lastActive));
      setAttribute(line, 'd', sparkline(filled.sparkline));
      setAttribute(drawing, 'aria-label', describe(filled.sparkline));
    };
    return row;
  }

  stop() {
    this.poll.stop();
  }
}

function isNumber(sort) {
  return !['name', 'algorithm', 'state'].includes(sort);
}

/** Path from 0 to the largest error, at least 0.02 so that a single mistake is not a peak; gaps for windows without labels. */
function sparkline(errors) {
  const most = Math.max(...errors.filter(error => error !== null), 0.02);
  const step = 92 / Math.max(1, errors.length - 1);
  let path = '';
  let isOpen = false;
  errors.forEach((error, k) => {
    if (error === null) {
      isOpen = false;
      return;
    }
    path += `${isOpen ? 'L' : 'M'}${(2 + k * step).toFixed(1)} ${(22 - 20 * error / most).toFixed(1)}`;
    // a point without neighbours is a dot
    path += isOpen ? '' : 'h.01';
    isOpen = true;
  });
  return path;
}

function describe(errors) {
  const known = errors.filter(error => error !== null);
  return known.length === 0 ? 'no window yet' : `error from ${share(known[0])} to ${share(known[known.length - 1])} in ${known.length} windows`;
}
