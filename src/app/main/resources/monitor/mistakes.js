// Tables of mistakes, and all fields of the selected mistake.

import {explain} from './causes.js';
import {DefinitionList, command, el, reconcile, setAttribute, setText, table} from './dom.js';
import {count, label, real, time} from './format.js';
import {RowChoice} from './rows.js';

const BAR = 24;
const COLUMNS = [
  {head: 'Time', value: event => event.timestamp}, {head: 'Id', value: event => event.exampleId}, {head: 'Kind', value: kind},
  {head: 'Label', value: event => event.label}, {head: 'Predicted', value: event => event.predicted},
  {head: 'Score', value: event => event.score, isNumber: true}, {head: 'Margin', value: event => event.margin, isNumber: true}];

/** A table whose ids select a mistake; `prefix` is that of its {@link RowChoice}, `more` are further columns of numbers, `onId` looks up the predictions of an id. */
export class MistakeTable {
  constructor(prefix, caption, none, more, onId) {
    this.more = more;
    this.choice = new RowChoice(prefix, `Search in ${caption.toLowerCase()} `, [...COLUMNS, ...more], () => this.draw());
    this.table = table(caption, this.choice.heads, 'stacked');
    this.events = [];
    this.noneText = none;
    this.none = el('p', {class: 'quiet'}, none);
    this.fields = new DefinitionList([
      ['id', 'of the example'], ['time', 'event time of the example'], ['kind', 'mistake, margin mistake, or the label that was corrected'],
      ['label', 'true label'], ['predicted', 'emitted label'], ['score', 'of the weights before the update'],
      ['margin', 'y·score; for several classes the lead of the true label'], ['mistakes so far', 'this one included'],
      ['examples so far', 'this one included'], ['|w|', 'after the update', '/docs/theory.md'], ['R', 'largest norm of an example so far', '/docs/theory.md'],
      ['position', 'topic-partition@offset of the record of this mistake']]);
    this.evidence = el('div', {class: 'evidence'});
    this.detail = el('div', {class: 'detail', role: 'region', 'aria-label': `Fields of one of the ${caption.toLowerCase()}`, hidden: true}, this.fields.node, this.evidence,
      el('button', {type: 'button', click: () => this.select(null)}, 'Close'), ' ',
      el('button', {type: 'button', click: () => onId(this.id)}, 'Look up its prediction'));
    this.node = el('div', {}, this.choice.node, this.table.node, this.none, this.detail);
  }

  /** Shows the mistakes; the selected one stays when it has left the table. */
  show(events) {
    this.events = events;
    this.draw();
  }

  draw() {
    const rows = this.choice.apply(this.events);
    reconcile(this.table.body, rows, place, event => this.row(event));
    this.choice.node.hidden = this.events.length === 0;
    this.table.node.hidden = rows.length === 0;
    this.none.hidden = rows.length > 0;
    setText(this.none, this.events.length === 0 ? this.noneText : 'No row matches.');
  }

  row(event) {
    const id = el('button', {type: 'button', class: 'link', 'aria-expanded': 'false', title: 'all fields', click: () => this.select(event, id)},
      event.exampleId || '(none)');
    return el('tr', {}, el('td', {}, time(event.timestamp)), el('td', {class: 'text'}, id),
      el('td', {}, kind(event)), el('td', {class: 'text'}, label(event.label)),
      el('td', {class: 'text'}, label(event.predicted)), el('td', {class: 'number'}, real(event.score)),
      el('td', {class: 'number'}, real(event.margin)),
      ...this.more.map(({value}) => el('td', {class: 'number'}, count(value(event)))));
  }

  select(event, button) {
    const isSame = event && button === this.button;
    if (this.button) {
      setAttribute(this.button, 'aria-expanded', 'false');
    }
    if (!event || isSame) {
      this.button?.focus();
      this.button = null;
      this.detail.hidden = true;
      return;
    }
    this.button = button;
    this.id = event.exampleId;
    setAttribute(button, 'aria-expanded', 'true');
    const values = [event.exampleId, time(event.timestamp), kind(event), label(event.label), label(event.predicted),
      String(event.score), String(event.margin), count(event.mistakes), count(event.examples), real(event.weightNorm), real(event.radius),
      `mistakes-${event.partition}@${event.offset}`];
    [...this.fields.values.keys()].forEach((name, k) => this.fields.set(name, values[k]));
    this.evidence.replaceChildren(...evidence(event));
    this.detail.hidden = false;
  }
}

/** Evidence of a mistake: terms of the margin, largest first, as a table with bars. */
function evidence({model, evidence: parts = [], evidenceBias, evidenceRest, margin, marginAfter}) {
  if (evidenceBias === null || evidenceBias === undefined) {
    return [el('p', {class: 'quiet'}, 'Why: to see the features, with a kernel the examples, that pulled hardest in the next mistakes (',
      el('a', {href: '/docs/bad-model.md'}, 'docs/bad-model.md'), '), run'), command(explain(model))];
  }
  const rows = [...parts.map(part => [feature(part), real(part.value), real(part.weight), part.contribution]),
    ['(bias)', '', '', evidenceBias], ['(all others)', '', '', evidenceRest]];
  const largest = Math.max(...rows.map(row => Math.abs(row[3])), Number.MIN_VALUE);
  return [
    el('p', {class: 'quiet'}, `Why: the terms of the margin ${real(margin)} before the update; red ones pulled to the wrong answer. `
      + (marginAfter === null || marginAfter === undefined ? '' : `Margin of the same example after the update: ${real(marginAfter)}.`)),
    el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Evidence'}, el('table', {},
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'feature'), ...['value', 'weight', 'contribution'].map(name => el('th', {scope: 'col', class: 'number'}, name)),
        el('th', {scope: 'col'}, ''))),
      el('tbody', {}, ...rows.map(([name, value, weight, contribution]) => el('tr', {}, el('th', {scope: 'row', class: 'text'}, name),
        ...[value, weight, real(contribution)].map(text => el('td', {class: 'number'}, text)),
        el('td', {class: 'bar', 'data-tone': contribution < 0 ? 'bad' : 'good', 'aria-hidden': 'true'},
          '█'.repeat(Math.round(BAR * Math.abs(contribution) / largest)))))))),
  ];
}

function feature({name, index, tag}) {
  return `${name ?? `#${index}`}${tag ? ` · ${tag}` : ''}`;
}

/** Position of the record of a mistake. */
export function place(event) {
  return `${event.partition}-${event.offset}`;
}

/** A label that was corrected, a margin mistake, a mistake, or a mistake that was no error. */
function kind(event) {
  if (event.corrects !== null && event.corrects !== undefined) {
    return `corrects ${event.replaced}`;
  }
  if (event.kind !== 'MISTAKE') {
    return 'margin';
  }
  return label(event.label) === label(event.predicted) ? 'mistake, no error' : 'mistake';
}
