// Creates and updates elements. Texts from topics become text nodes and are never parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element with attributes and children; children that are not nodes become text. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      node.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/** Sets a text if it has changed: an unchanged text keeps its selection. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setAttribute(node, name, value) {
  if (value === null) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

/**
 * Reconciles the children of `parent` with a list: one node for each item, reused by key and moved only if the order
 * changes. `make(item)` creates a node, `update(node, item)` fills it.
 */
export function reconcile(parent, items, key, make, update) {
  const known = parent.nodesByKey ?? (parent.nodesByKey = new Map());
  const wanted = new Set(items.map(key));
  for (const [name, node] of known) {
    if (!wanted.has(name)) {
      node.remove();
      known.delete(name);
    }
  }
  const focused = document.activeElement;
  let next = parent.firstElementChild;
  for (const item of items) {
    let node = known.get(key(item));
    if (!node) {
      node = make(item);
      known.set(key(item), node);
    }
    update?.(node, item);
    if (node === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(node, next);
    }
  }
  // moving a row removes the focus from its link
  if (focused && focused !== document.activeElement && parent.contains(focused)) {
    focused.focus({preventScroll: true});
  }
}

/** A command with a button that copies it. */
export function command(text) {
  const code = el('code', {tabindex: '0'}, text);
  const button = el('button', {type: 'button', class: 'copy', click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      setText(button, 'copied');
    } catch {
      // not allowed, or no TLS: select the text, to be copied by hand
      getSelection().selectAllChildren(code);
      setText(button, 'selected');
    }
    setTimeout(() => setText(button, 'copy'), 2000);
  }}, 'copy');
  return el('div', {class: 'command'}, code, button);
}

/** Link to a list or map of an answer of the API as CSV; `parameters` are pairs of name and value. */
export function csv(path, field, parameters = [], text = 'CSV') {
  return el('a', {class: 'csv', href: csvAddress(path, field, parameters), download: `${path.split('/').map(decodeURIComponent).join('-')}-${field}.csv`,
    title: 'these numbers as CSV'}, text);
}

/** Address of such a link. */
export function csvAddress(path, field, parameters) {
  return `/api/v1/${path}?${new URLSearchParams([['csv', field], ...parameters])}`;
}

/** A heading with a link to its table as CSV, or none. */
export function heading(title, link = null) {
  return el('div', {class: 'heading'}, el('h2', {}, title), link);
}

/** A placeholder for missing contents, with the reason and the next step. */
export function empty(title, ...rest) {
  return el('div', {class: 'empty'}, el('p', {class: 'empty-title'}, title), ...rest);
}

/**
 * A table that scrolls if it is wider than the screen; heads are texts, {number: text}, or elements. With the class `stacked` a narrow
 * screen has a block for each row, with the head before each value.
 */
export function table(caption, heads, className = '') {
  const body = el('tbody');
  const texts = heads.map(head => head instanceof Node ? head.textContent : head.number ?? head);
  new MutationObserver(() => [...body.rows].forEach(row => [...row.cells].forEach((cell, k) => setAttribute(cell, 'data-label', texts[k] ?? ''))))
    .observe(body, {childList: true});
  const node = el('table', {class: className},
    el('caption', {class: 'hidden-text'}, caption),
    el('thead', {}, el('tr', {}, ...heads.map(head => head instanceof Node ? head : typeof head === 'string'
      ? el('th', {scope: 'col'}, head)
      : el('th', {scope: 'col', class: 'number'}, head.number)))),
    body);
  return {node: el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption}, node), body};
}

/** A list of names and changeable values: [name, hint, link]; the link, to an explanation of the name, may be missing. */
export class DefinitionList {
  constructor(names) {
    this.values = new Map();
    this.node = el('dl', {class: 'facts'});
    for (const [name, hint, link] of names) {
      const value = el('dd', {}, '–');
      this.values.set(name, value);
      this.node.append(el('div', {title: hint}, el('dt', {}, link ? el('a', {href: link, title: `${hint}; see the theory`}, name) : name), value));
    }
  }

  set(name, text) {
    setText(this.values.get(name), text);
  }
}
