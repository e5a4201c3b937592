// Frame of the page: selects the view and shows whether its data are current.

import {Poll, connection, get} from './api.js';
import {setAttribute, setText} from './dom.js';
import {count, time} from './format.js';
import {ComparisonView} from './compare.js';
import {EngineView} from './engine.js';
import {ModelView} from './model.js';
import {ModelsView} from './models.js';

const content = document.getElementById('content');
const status = document.getElementById('status');
const banner = document.getElementById('banner');
const deadLetters = document.getElementById('dead-letters');
let view;
let engine;

/** Address and scroll position of the table of models when another view was selected. */
const table = {hash: '#/', top: 0};

/**
 * Selects the view: `#/` models, `#/models/NAME` one model, `#/compare/NAME/OTHER/…` several, `#/engine`; after a question mark its
 * choices.
 */
function route() {
  const parts = location.hash.replace(/^#\/?/, '').split('?')[0].split('/');
  view?.stop();
  if (parts[0] === 'models' && parts[1]) {
    view = new ModelView(decode(parts[1]));
  } else if (parts[0] === 'compare' && parts[1] && parts[2]) {
    view = new ComparisonView(parts.slice(1).filter(part => part !== '').map(decode));
  } else if (parts[0] === 'engine') {
    view = new EngineView();
  } else {
    view = new ModelsView();
  }
  content.replaceChildren(view.node);
  document.title = `${view.title} – perceptron-streams`;
  setAttribute(document.getElementById('nav-models'), 'aria-current', parts[0] === 'engine' ? null : 'page');
  setAttribute(document.getElementById('nav-engine'), 'aria-current', parts[0] === 'engine' ? 'page' : null);
  view.engine?.(engine);
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the worst problem: text and tone of the chip, and a sentence or null. */
function health() {
  if (connection.downSince !== null) {
    return ['✕ no connection', 'bad', `The monitor has not answered since ${time(connection.downSince)}: `
      + 'the page shows the state of that time and retries. Was perceptron stopped?'];
  }
  if (!engine) {
    return ['… connecting', 'calm', null];
  }
  const {feed, mode, state, isReady} = engine.engine;
  if (feed.state === 'WAITING') {
    const since = feed.lastPoll === null ? '' : ` The page shows the state of ${time(feed.lastPoll)}.`;
    return ['▲ waiting', 'bad', `The monitor cannot read the topics: ${feed.fault}.${since}`];
  }
  if (mode === 'IN_PROCESS' && !isReady) {
    if (state === 'RUNNING') {
      return ['◐ replica not ready', 'warn', 'The replica in this process is reading the models, or has failed: see its log.'];
    }
    const isOver = ['ERROR', 'PENDING_ERROR', 'NOT_RUNNING'].includes(state);
    return [`▲ engine ${state.toLowerCase().replaceAll('_', ' ')}`, isOver ? 'bad' : 'warn',
      isOver ? 'The engine has stopped: see its log and restart it.' : 'The engine is starting and does not learn yet.'];
  }
  if (feed.state !== 'LIVE') {
    return ['◐ catching up', 'warn', feed.lag > 1000 ? `The monitor is ${feed.lag} records behind.` : null];
  }
  return ['● live', 'good', null];
}

function showHealth() {
  const [text, tone, sentence] = health();
  setText(status, text);
  setAttribute(status, 'data-tone', tone);
  setAttribute(document.body, 'data-stale', connection.downSince !== null || text.startsWith('▲ waiting') ? '' : null);
  banner.hidden = sentence === null;
  setText(banner, sentence ?? '');
  setAttribute(banner, 'data-tone', tone);
  const rejected = engine?.deadLetters ?? 0;
  deadLetters.hidden = rejected === 0;
  setText(deadLetters, `▲ ${count(rejected)} ${rejected === 1 ? 'dead letter' : 'dead letters'}`);
}

function key(event) {
  const isTyping = event.target.matches?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === '/' && !isTyping) {
    const search = document.querySelector('input[type=search]');
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  } else if (event.key === 'Escape' && !isTyping && !(view instanceof ModelsView)) {
    location.hash = table.hash;
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target.matches?.('a[data-row], input[type=search]')) {
    const rows = [...document.querySelectorAll('a[data-row]')];
    const next = rows.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1);
    if (rows[next]) {
      event.preventDefault();
      rows[next].focus();
    }
  }
}

document.getElementById('skip').addEventListener('click', event => {
  // the hash is the view, so that it cannot be an anchor
  event.preventDefault();
  content.focus();
});
history.scrollRestoration = 'manual';
addEventListener('hashchange', event => {
  const wasTable = view instanceof ModelsView;
  if (wasTable) {
    Object.assign(table, {hash: new URL(event.oldURL).hash || '#/', top: scrollY});
  }
  route();
  scrollTo(0, view instanceof ModelsView && !wasTable ? table.top : 0);
});
addEventListener('keydown', key);
connection.listeners.add(showHealth);
route();
new Poll(async () => {
  engine = await get('engine');
  showHealth();
  view.engine?.(engine);
}, 2000);
