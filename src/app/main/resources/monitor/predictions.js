// Predictions of a model, looked up on demand: the monitor does not keep them.

import {chosen, keep} from './address.js';
import {ApiError, get, modelPath} from './api.js';
import {csv, csvAddress, el, reconcile, setAttribute, table} from './dom.js';
import {count, label, real, time} from './format.js';

const LIMIT = 50;

/** Columns that are shown if a prediction has what is in them. */
const OPTIONAL = [
  {head: 'Probability', text: ({probability}) => typeof probability === 'number' ? probability.toFixed(4) : '', isNumber: true},
  {head: 'Possible labels', text: ({labelSet}) => !labelSet ? '' : labelSet.length === 1 ? labelSet[0] : `unsure: ${labelSet.join(', ') || 'none'}`},
  {head: 'Decision', text: ({decision, withheld}) => typeof decision !== 'string' ? '' : withheld ? `${decision}, withheld` : decision}];

/** A form that looks up the last predictions, or those of one id, which the address keeps. */
export class Predictions {
  constructor(model) {
    this.model = model;
    this.looks = 0;
    this.field = el('input', {type: 'text', id: 'prediction-id', autocomplete: 'off', spellcheck: 'false', size: '18', placeholder: 'any',
      value: chosen().get('prediction') ?? ''});
    this.text = el('p', {class: 'quiet', role: 'status'}, 'Read from their topic when you ask: they are too many to be kept.');
    this.heads = OPTIONAL.map(({head, isNumber}) => el('th', {scope: 'col', class: isNumber ? 'number' : null}, head));
    this.table = table('Predictions', ['Time', 'Id', 'Predicted', {number: 'Score'}, ...this.heads, 'Label', {number: 'Updates'}, {number: 'Example'}, 'Position'], 'stacked');
    this.table.node.hidden = true;
    this.link = csv(modelPath(model, '/predictions'), 'events');
    this.node = el('div', {}, el('form', {class: 'tools', submit: event => {
      event.preventDefault();
      this.look();
    }}, el('label', {for: 'prediction-id'}, 'Id of the example ', this.field), el('button', {}, 'Look up'), this.link), this.text, this.table.node);
    if (this.field.value) {
      this.look();
    }
  }

  /** Looks up the predictions of an id, and shows them. */
  show(id) {
    this.field.value = id;
    this.look();
    this.node.scrollIntoView({block: 'center'});
    this.field.focus({preventScroll: true});
  }

  async look() {
    const id = this.field.value.trim();
    keep({prediction: id});
    setAttribute(this.link, 'href', csvAddress(modelPath(this.model, '/predictions'), 'events', [['id', id], ['limit', 200]].filter(([, value]) => value !== '')));
    this.text.textContent = 'Looking …';
    // an answer that a later search has overtaken is not shown
    const look = ++this.looks;
    try {
      const {events, searched} = await get(modelPath(this.model, '/predictions'), {id, limit: LIMIT});
      if (look !== this.looks) {
        return;
      }
      this.text.textContent = `${events.length === LIMIT ? `The last ${LIMIT}` : events.length} found in the last ${count(searched)} records of the model's partition.`;
      reconcile(this.table.body, events.map((event, k) => ({...event, k})), each => `${each.partition}-${each.offset}-${each.exampleId}-${each.k}`, each => this.row(each));
      this.showOptional(events);
      this.table.node.hidden = events.length === 0;
    } catch (failure) {
      if (look !== this.looks) {
        return;
      }
      this.table.node.hidden = true;
      this.text.textContent = failure instanceof ApiError ? failure.message : 'The monitor does not answer.';
    }
  }

  /** Shows the columns that one of the predictions has something in. */
  showOptional(events) {
    OPTIONAL.forEach(({text}, k) => {
      const isHidden = events.every(event => text(event) === '');
      const {cellIndex} = this.heads[k];
      [this.heads[k], ...[...this.table.body.rows].map(row => row.cells[cellIndex])].forEach(cell => {
        cell.hidden = isHidden;
      });
    });
  }

  row(event) {
    const verdict = {true: ['✓ as predicted', 'good'], false: ['✕ another', 'bad']}[event.correct] ?? ['none yet', null];
    return el('tr', {}, el('td', {}, time(event.timestamp)), el('td', {class: 'text'}, event.exampleId || '(none)'),
      el('td', {class: 'text'}, label(event.label)), el('td', {class: 'number'}, real(event.score)),
      ...OPTIONAL.map(({text, isNumber}) => el('td', {class: isNumber ? 'number' : 'text'}, text(event))),
      el('td', {'data-tone': verdict[1]}, verdict[0]), el('td', {class: 'number'}, count(event.updates)), el('td', {class: 'number'}, count(event.examples)),
      el('td', {}, `predictions-${event.partition}@${event.offset}`));
  }
}
