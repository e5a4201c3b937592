// Reads N committed messages of a topic from the beginning and prints a line of JSON for each, decoded by both registry
// clients: {"partition", "offset", "key", CLIENT: value, …}. Longs are printed as strings of digits.

import { kafka, registryClients, usage } from './clients.mjs'

const [bootstrap, url, topic, count] = process.argv.slice(2)
if (!(Number(count) > 0)) usage('consume.mjs BOOTSTRAP REGISTRY TOPIC N')

const clients = registryClients(url)
const consumer = kafka(bootstrap).consumer({ groupId: `wire-test-${process.pid}-${topic}`, readUncommitted: false })
await consumer.connect()
await consumer.subscribe({ topics: [topic], fromBeginning: true })

let left = Number(count)
const failure = await new Promise((done) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || done(payload.error))
  consumer.run({
    eachMessage: async ({ partition, message }) => {
      if (left === 0) return
      const line = { partition, offset: message.offset, key: message.key.toString() }
      try {
        for (const [name, client] of Object.entries(clients)) line[name] = await client.decode(topic, message.value)
      } catch (error) {
        return done(error)
      }
      console.log(JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      if (--left === 0) done()
    },
  })
})
await consumer.disconnect()
if (failure) throw failure
