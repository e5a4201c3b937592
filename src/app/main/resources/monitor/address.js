// Choices of a view, kept in the address after its path, as in #/models/NAME?axis=examples.

/** Returns the choices in the address. */
export function chosen() {
  return new URLSearchParams(location.hash.split('?')[1] ?? '');
}

/** Puts choices {name: value} into the address without a new entry of the history; null or '' removes one. */
export function keep(choices) {
  const [path] = location.hash.split('?');
  const all = chosen();
  for (const [name, value] of Object.entries(choices)) {
    all.delete(name);
    if (value !== null && value !== '') {
      all.set(name, String(value));
    }
  }
  const hash = (path || '#/') + (all.size ? `?${all}` : '');
  if (hash !== location.hash) {
    history.replaceState(history.state, '', hash);
  }
}
