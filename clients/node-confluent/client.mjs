// Sends a CSV file with some labels late, and counts errors: Confluent's JavaScript client, JSON. See docs/clients.md.
//
//     node client.mjs FILE MODEL        MODEL must be new; the engine needs output.format=json

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import confluent from '@confluentinc/kafka-javascript'

const { Kafka, logLevel } = confluent.KafkaJS
const { BOOTSTRAP = 'localhost:9092', PREFIX = 'perceptron', WAIT = '120' } = process.env // WAIT: seconds
const SETTINGS = {
  algorithm: 'perceptron', scale: 'standard', predict: 'averaged', bias: 'false', 'await.labels.ms': '3600000',
}
const LATE = 20 // every fifth label comes this many examples late
const [file, model] = process.argv.slice(2)
const kafka = new Kafka({ kafkaJS: { brokers: BOOTSTRAP.split(','), logLevel: logLevel.ERROR } })
const [[, ...names], ...rows] = readFileSync(file, 'utf8').trim().split(/\r?\n/).map((line) => line.split(','))

function events() {
  const found = [{ action: 'CONFIGURE', settings: SETTINGS }]
  for (let n = 0; n < rows.length + LATE; n++) {
    if (n < rows.length) {
      const features = Object.fromEntries(rows[n].slice(1, -1).map((value, i) => [names[i], Number(value)]))
      found.push({ id: rows[n][0], label: n % 5 === 4 ? null : Number(rows[n].at(-1)), features })
    }
    const late = n - LATE
    if (late >= 0 && late % 5 === 4) found.push({ exampleId: rows[late][0], label: Number(rows[late].at(-1)) })
  }
  // its score is 0, which is always a mistake: both output topics end with it
  found.push({ id: 'end', label: 1, features: {} })
  return found.map((event) => ({ key: model, value: JSON.stringify(event) }))
}

// reads committed records only, its default
async function read(topic) {
  const consumer = kafka.consumer({ kafkaJS: { groupId: `${PREFIX}-client-${model}-${topic}`, fromBeginning: true } })
  await consumer.connect()
  await consumer.subscribe({ topic })
  const found = []
  const late = setTimeout(() => {
    console.error(`no end of ${model} in ${topic} in time (is the engine running?)`)
    process.exit(1)
  }, 1000 * WAIT)
  await new Promise((resolve) => consumer.run({
    eachMessage: async ({ message }) => {
      if (message.key.toString() !== model) return
      const event = JSON.parse(message.value)
      // an array, if another producer sends several examples in one record
      for (const each of [event].flat()) each.exampleId === 'end' ? resolve() : found.push(each)
    },
  }))
  clearTimeout(late)
  await consumer.disconnect()
  return found
}

// its default partitioner is murmur2_random, unlike that of other clients with librdkafka
const producer = kafka.producer({ kafkaJS: { idempotent: true } })
await producer.connect()
await producer.send({ topic: `${PREFIX}-examples`, messages: events() })
await producer.disconnect()
const [predictions, mistakes] = [await read(`${PREFIX}-predictions`), await read(`${PREFIX}-mistakes`)]
const labels = new Map(rows.map((row) => [row[0], Number(row.at(-1))]))
const errors = predictions.filter((each) => each.label !== labels.get(each.exampleId)).length
const score = (number) => number.toExponential(16).replace(/e([+-])(\d)$/, 'e$10$2')
const lines = predictions.map((each) => `${each.exampleId},${each.label},${score(each.score)}\n`).sort()
const digest = createHash('sha256').update(lines.join('')).digest('hex')
console.log(`${lines.length} predictions, ${errors} errors, ${mistakes.length} mistakes, digest ${digest}`)
