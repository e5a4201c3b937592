// Choice of a model by a part of its name.

import {get} from './api.js';
import {el} from './dom.js';

const SUGGESTIONS = 20;

/** A field with suggestions of names, a text before and a button after it; `onChoice` gets the name of a model that exists. */
export class ModelPicker {
  constructor(text, button, onChoice) {
    this.names = el('datalist', {id: 'model-names'});
    this.field = el('input', {type: 'text', id: 'other-model', list: 'model-names', autocomplete: 'off', spellcheck: 'false', size: '18',
      placeholder: 'name of a model', focus: () => this.suggest(), input: () => this.suggest()});
    this.fault = el('span', {class: 'quiet', role: 'status'});
    this.node = el('form', {class: 'range picker', submit: event => {
      event.preventDefault();
      this.choose(onChoice);
    }}, el('label', {for: 'other-model'}, text, this.field), el('button', {}, button), this.names, this.fault);
  }

  async suggest() {
    const {models} = await get('models', {q: this.field.value.trim(), limit: SUGGESTIONS});
    this.names.replaceChildren(...models.map(({model}) => el('option', {value: model})));
  }

  async choose(onChoice) {
    const name = this.field.value.trim();
    const isThere = name !== '' && (await get('models', {name})).total > 0;
    this.fault.textContent = isThere ? '' : 'There is no model of this name.';
    if (isThere) {
      onChoice(name);
    }
  }
}
