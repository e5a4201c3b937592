// Requests to the monitor, periodic and streamed, and the state of the connection.

const ROOT = '/api/v1/';
const TIMEOUT_MS = 10_000;

/** State of the connection: `downSince` is null while the monitor answers. */
export const connection = {downSince: null, listeners: new Set()};

function answered(isUp) {
  const was = connection.downSince;
  connection.downSince = isUp ? null : was ?? Date.now();
  if ((was === null) !== isUp) {
    connection.listeners.forEach(listener => listener());
  }
}

/** An error response of the monitor, with its HTTP status. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Requests JSON at a path of the API. */
export async function get(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== ''));
  let response;
  try {
    response = await fetch(ROOT + path + (query.size ? `?${query}` : ''),
      {signal: AbortSignal.timeout(TIMEOUT_MS), cache: 'no-store'});
  } catch (failure) {
    answered(false);
    throw failure;
  }
  answered(true);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new ApiError(response.status, body.error ?? `HTTP ${response.status}`);
  }
  return body;
}

/** Returns true if the monitor still reads its initial backlog, so that its answers are incomplete. */
export async function isReading() {
  const {engine} = await get('engine');
  return ['STARTING', 'CATCHING_UP'].includes(engine.feed.state);
}

/** Path of a model. */
export function modelPath(name, rest = '') {
  return `models/${encodeURIComponent(name)}${rest}`;
}

/**
 * Runs a task at once, and again `ms` after its end, but not while the page is hidden. Failures of the connection are
 * shown by `main.js`.
 */
export class Poll {
  constructor(task, ms) {
    this.task = task;
    this.ms = ms;
    this.isStopped = false;
    this.wake = () => {
      if (!document.hidden) {
        this.now();
      }
    };
    document.addEventListener('visibilitychange', this.wake);
    this.now();
  }

  /** Runs the task at once, or again at its end if it is running. */
  async now() {
    clearTimeout(this.timer);
    if (this.isRunning) {
      this.isWanted = true;
      return;
    }
    this.isRunning = true;
    do {
      this.isWanted = false;
      try {
        await this.task();
      } catch (failure) {
        if (!(failure instanceof ApiError) && connection.downSince === null) {
          console.error(failure);
        }
      }
    } while (this.isWanted && !this.isStopped);
    this.isRunning = false;
    if (!this.isStopped && !document.hidden) {
      this.timer = setTimeout(() => this.now(), this.ms);
    }
  }

  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.wake);
  }
}

/**
 * Server-sent events of one model, from the constructor to `stop`; resumed after interruptions. `reload` is called if events
 * may be missing. A hidden page closes its connection, because browsers have only six per server.
 */
export class Stream {
  constructor(name, model, onEvent, reload) {
    this.name = name;
    this.model = model;
    this.onEvent = onEvent;
    this.reload = reload;
    this.lastId = '';
    this.change = () => document.hidden ? this.close() : this.open();
    document.addEventListener('visibilitychange', this.change);
    this.change();
  }

  open() {
    this.close();
    const query = new URLSearchParams({model: this.model});
    if (this.lastId) {
      query.set('lastEventId', this.lastId);
    }
    const source = new EventSource(`${ROOT}stream/${this.name}?${query}`);
    this.source = source;
    source.onmessage = message => {
      this.lastId = message.lastEventId || this.lastId;
      this.onEvent(JSON.parse(message.data));
    };
    source.addEventListener('gap', () => this.reload());
    source.addEventListener('dropped', () => this.reload());
    source.onerror = () => {
      // the browser reconnects by itself, but not after an error status such as 503
      if (source.readyState === EventSource.CLOSED) {
        this.timer = setTimeout(() => this.open(), 5000);
      }
    };
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
  }

  stop() {
    document.removeEventListener('visibilitychange', this.change);
    this.close();
  }
}
