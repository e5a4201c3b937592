// Asks the monitor, again and again, and remembers whether it answers.

const ROOT = '/api/v1/';
const TIMEOUT_MS = 10_000;

/** Whether the monitor answers: `downSince` is null while it does. */
export const connection = {downSince: null, listeners: new Set()};

function answered(isUp) {
  const was = connection.downSince;
  connection.downSince = isUp ? null : was ?? Date.now();
  if ((was === null) !== isUp) {
    connection.listeners.forEach(listener => listener());
  }
}

/** An answer of the monitor that is an error; `status` is that of HTTP. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** JSON at a path below the API. */
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

/** Whether the monitor still reads what there was before it started: then there may be more than it tells. */
export async function isReading() {
  const {engine} = await get('engine');
  return ['STARTING', 'CATCHING_UP'].includes(engine.feed.state);
}

/** Path of a model. */
export function modelPath(name, rest = '') {
  return `models/${encodeURIComponent(name)}${rest}`;
}

/**
 * Runs a task now and then every `ms` after it has ended, not while the page is hidden. A task that fails is only run
 * again: that the monitor is away is said elsewhere.
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

  /** Runs it at once; if it is running, once more after that. */
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
 * Server-sent events of one model, from `open` to `stop`; resumed after every break. `reload` is called when some may be
 * missing. A hidden page gives its connection back: browsers have only six per server.
 */
export class Stream {
  constructor(name, model, take, reload) {
    this.name = name;
    this.model = model;
    this.take = take;
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
      this.take(JSON.parse(message.data));
    };
    source.addEventListener('gap', () => this.reload());
    source.addEventListener('dropped', () => this.reload());
    source.onerror = () => {
      // the browser tries again by itself, but not after an answer such as 503
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
