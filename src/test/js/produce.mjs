// Registers the Example schema and produces N examples of one model, encoded by the given registry client. The
// features of example i are dense, sparse or of two kinds of names by i mod 4; its label is an int or a string by LABELS, and
// none where i mod 5 is 4.

import { readFileSync } from 'node:fs'
import { Partitioners } from 'kafkajs'
import { kafka, registryClients, usage } from './clients.mjs'

const [bootstrap, url, topic, model, count, labels, clientName, schemaFile] = process.argv.slice(2)
const client = url && registryClients(url)[clientName]
if (!client || !['int', 'string'].includes(labels) || !schemaFile) {
  usage('produce.mjs BOOTSTRAP REGISTRY TOPIC MODEL N int|string REGISTRY_CLIENT EXAMPLE_AVSC')
}

const EVENT = 'io.perceptronstreams.event'

function example(i) {
  const x = i / 7 - 3
  const positive = i % 2 === 0
  const features = [
    { [`${EVENT}.DenseVector`]: { values: [x, 0, -x * x, 1e-300] } },
    { [`${EVENT}.SparseVector`]: { indices: [i, i + 1000], values: [x, 123456.789] } },
    { [`${EVENT}.NamedFeatures`]: { values: { äge: x, 'word=the': 1 } } },
    { [`${EVENT}.FeatureMap`]: { named: { äge: x, 'word=the': 1 } } },
  ][i % 4]
  const label = labels === 'int' ? (positive ? 1 : -1) : positive ? 'spam' : 'häm'
  return { id: `${model}-${i}`, label: i % 5 === 4 ? null : label, features, weight: i % 4 === 0 ? 2.5 : 1 }
}

await client.register(`${topic}-value`, readFileSync(schemaFile, 'utf8'))
const messages = []
for (let i = 0; i < Number(count); i++) {
  const value = await client.encode(topic, example(i))
  // with the time of now: what is older than a week the broker may drop at any time
  messages.push({ key: model, value })
}
// KafkaJS hashes keys as Java does (murmur2).
const producer = kafka(bootstrap).producer({ createPartitioner: Partitioners.DefaultPartitioner })
await producer.connect()
await producer.send({ topic, acks: -1, messages })
await producer.disconnect()
