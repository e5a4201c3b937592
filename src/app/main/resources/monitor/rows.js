// Search and order of the rows of a table that the page has as a whole; both are kept in the address.

import {chosen, keep} from './address.js';
import {el, setAttribute} from './dom.js';
import {label} from './format.js';

/**
 * Chooses rows of a table. Columns: {head, value(item), isNumber}, a value is what is sorted by and searched in; in the address the choices are
 * `PREFIX-q`, `PREFIX-sort` (a head) and `PREFIX-order`.
 */
export class RowChoice {
  constructor(prefix, text, columns, onChange) {
    this.prefix = prefix;
    this.columns = columns;
    this.onChange = onChange;
    const given = chosen();
    this.sort = columns.find(({head}) => head === given.get(`${prefix}-sort`))?.head ?? null;
    this.order = given.get(`${prefix}-order`) === 'asc' ? 'asc' : 'desc';
    this.search = el('input', {type: 'search', id: `${prefix}-q`, placeholder: 'part of a cell', autocomplete: 'off', spellcheck: 'false',
      value: given.get(`${prefix}-q`) ?? '', input: () => this.changed()});
    this.node = el('p', {class: 'search'}, el('label', {for: `${prefix}-q`}, text, this.search));
    this.heads = columns.map(({head, isNumber}) => el('th', {scope: 'col', class: isNumber ? 'number' : null},
      el('button', {type: 'button', class: 'sort', click: () => this.sortBy(head)}, head)));
    this.mark();
  }

  /** Sorts downwards, then upwards, then not. */
  sortBy(head) {
    if (this.sort !== head) {
      Object.assign(this, {sort: head, order: 'desc'});
    } else if (this.order === 'desc') {
      this.order = 'asc';
    } else {
      this.sort = null;
    }
    this.changed();
  }

  changed() {
    const sort = this.sort;
    keep({[`${this.prefix}-q`]: this.search.value.trim(), [`${this.prefix}-sort`]: sort, [`${this.prefix}-order`]: sort && this.order === 'asc' ? 'asc' : null});
    this.mark();
    this.onChange();
  }

  mark() {
    this.columns.forEach(({head}, k) => setAttribute(this.heads[k], 'aria-sort', head === this.sort ? {asc: 'ascending', desc: 'descending'}[this.order] : null));
  }

  /** Returns the chosen items in the chosen order. */
  apply(items) {
    const part = this.search.value.trim().toLowerCase();
    const found = part === '' ? items : items.filter(item => this.columns.some(({value}) => label(value(item)).toLowerCase().includes(part)));
    const column = this.columns.find(({head}) => head === this.sort);
    if (!column) {
      return found;
    }
    const sign = this.order === 'asc' ? 1 : -1;
    return found.slice().sort((one, other) => compare(column.value(one), column.value(other), sign));
  }
}

/** Order of two values; those that are missing come last in both directions. */
function compare(one, other, sign) {
  const [isNone, isOtherNone] = [one, other].map(value => value === null || value === undefined);
  if (isNone || isOtherNone) {
    return Number(isNone) - Number(isOtherNone);
  }
  return sign * (typeof one === 'number' && typeof other === 'number' ? one - other : label(one).localeCompare(label(other), 'en', {numeric: true}));
}
