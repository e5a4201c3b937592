// Sends a CSV file with some labels late, and counts errors: KafkaJS and Avro. See docs/clients.md.
//
//     npm ci; node client.mjs FILE MODEL        MODEL must be new

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { Kafka, Partitioners, logLevel } from 'kafkajs'

const { BOOTSTRAP = 'localhost:9092', REGISTRY = 'http://localhost:8081', PREFIX = 'perceptron' } = process.env
const WAIT = 1000 * (process.env.WAIT ?? 120) // until an output must end
const SETTINGS = {
  algorithm: 'perceptron', scale: 'standard', predict: 'averaged', bias: 'false', 'await.labels.ms': '3600000',
}
const LATE = 20 // every fifth label comes this many examples late
const [file, model] = process.argv.slice(2)
const kafka = new Kafka({ clientId: 'client', brokers: BOOTSTRAP.split(','), logLevel: logLevel.ERROR })
const registry = new SchemaRegistry({ host: REGISTRY })
const [[, ...names], ...rows] = readFileSync(file, 'utf8').trim().split(/\r?\n/).map((line) => line.split(','))

async function encoder(subject, event) {
  const schema = readFileSync(new URL(`../../schemas/${event}.avsc`, import.meta.url), 'utf8')
  const options = { subject: `${PREFIX}-examples-${subject}` }
  const { id } = await registry.register({ type: SchemaType.AVRO, schema }, options)
  return (value) => registry.encode(id, { weight: 1, ...value })
}

async function events() {
  const [example, label] = [await encoder('value', 'Example'), await encoder('Label', 'Label')]
  const named = (values) => ({ 'io.perceptronstreams.event.FeatureMap': { named: Object.fromEntries(values) } })
  const values = [JSON.stringify({ action: 'CONFIGURE', settings: SETTINGS })]
  for (let n = 0; n < rows.length + LATE; n++) {
    if (n < rows.length) {
      const features = named(rows[n].slice(1, -1).map((value, i) => [names[i], Number(value)]))
      values.push(await example({ id: rows[n][0], label: n % 5 === 4 ? null : Number(rows[n].at(-1)), features }))
    }
    const late = n - LATE
    if (late >= 0 && late % 5 === 4) {
      values.push(await label({ exampleId: rows[late][0], label: Number(rows[late].at(-1)) }))
    }
  }
  // its score is 0, which is always a mistake: both output topics end with it
  values.push(await example({ id: 'end', label: 1, features: named([]) }))
  return values.map((value) => ({ key: model, value }))
}

// reads committed records only, unless readUncommitted is set
async function read(topic) {
  const consumer = kafka.consumer({ groupId: `${PREFIX}-client-${model}-${topic}` })
  await consumer.subscribe({ topic, fromBeginning: true })
  const found = []
  const end = setTimeout(() => { throw Error(`no end of ${model} in ${topic} in time (is the engine running?)`) }, WAIT)
  await new Promise((resolve) => consumer.run({
    eachMessage: async ({ message }) => {
      if (message.key.toString() !== model) return
      const event = await registry.decode(message.value)
      // a PredictionBatch, if another producer sends several examples in one record
      for (const each of event.predictions ?? [event]) each.exampleId === 'end' ? resolve() : found.push(each)
    },
  }))
  clearTimeout(end)
  await consumer.disconnect()
  return found
}

const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, idempotent: true })
await producer.connect()
await producer.send({ topic: `${PREFIX}-examples`, messages: await events() })
await producer.disconnect()
const [predictions, mistakes] = [await read(`${PREFIX}-predictions`), await read(`${PREFIX}-mistakes`)]
const labels = new Map(rows.map((row) => [row[0], Number(row.at(-1))]))
const errors = predictions.filter((each) => each.label !== labels.get(each.exampleId)).length
const score = (number) => number.toExponential(16).replace(/e([+-])(\d)$/, 'e$10$2')
const lines = predictions.map((each) => `${each.exampleId},${each.label},${score(each.score)}\n`).sort()
const digest = createHash('sha256').update(lines.join('')).digest('hex')
console.log(`${lines.length} predictions, ${errors} errors, ${mistakes.length} mistakes, digest ${digest}`)
