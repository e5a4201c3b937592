// Reads N committed messages of a topic from the beginning and prints a line of JSON for each, decoded by both registry
// clients: {"partition", "offset", "key", CLIENT: value, …}. Longs are printed as strings of digits.

import { kafka, registryClients, usage } from './clients.mjs'

const PATIENCE_MS = 40_000
const ATTEMPTS = 3

const [bootstrap, url, topic, count] = process.argv.slice(2)
if (!(Number(count) > 0)) usage('consume.mjs BOOTSTRAP REGISTRY TOPIC N')

const clients = registryClients(url)

// The lines; undefined if there were not enough in time.
async function read(attempt) {
  const groupId = `wire-test-${process.pid}-${topic}-${attempt}`
  const consumer = kafka(bootstrap).consumer({ groupId, readUncommitted: false })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  const lines = []
  let timer
  try {
    return await new Promise((done, fail) => {
      timer = setTimeout(done, PATIENCE_MS)
      consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || fail(payload.error))
      consumer.run({
        eachMessage: async ({ partition, message }) => {
          if (lines.length === Number(count)) return
          const line = { partition, offset: message.offset, key: message.key.toString() }
          try {
            for (const [name, client] of Object.entries(clients)) line[name] = await client.decode(topic, message.value)
          } catch (error) {
            return fail(error)
          }
          lines.push(JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
          if (lines.length === Number(count)) done(lines)
        },
      })
    })
  } finally {
    clearTimeout(timer)
    await consumer.disconnect()
  }
}

let lines
for (let attempt = 1; !lines && attempt <= ATTEMPTS; attempt++) {
  // On a busy machine kafkajs was seen to begin behind the first message of a partition; another group starts from the beginning.
  lines = await read(attempt)
  if (!lines) console.error(`attempt ${attempt}: fewer than ${count} messages of ${topic} in ${PATIENCE_MS} ms`)
}
if (!lines) throw new Error(`${topic} must have ${count} messages`)
lines.forEach((line) => console.log(line))
