// The two registry clients for JavaScript, each as {register, encode, decode}, and a Kafka client.

import confluent from '@confluentinc/schemaregistry'
import kafkajs from '@kafkajs/confluent-schema-registry'
import avro from 'avsc'
import { Kafka, logLevel } from 'kafkajs'

// Longs as BigInt: counts and offsets may be larger than a JavaScript number is exact for.
const long = avro.types.LongType.__with({
  fromBuffer: (buffer) => buffer.readBigInt64LE(),
  toBuffer: (value) => {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(value)
    return buffer
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value) => typeof value === 'bigint',
  compare: (a, b) => (a === b ? 0 : a < b ? -1 : 1),
})
const typeHook = (schema) => (schema === 'long' || schema?.type === 'long' ? long : undefined)

const KAFKAJS = '@kafkajs/confluent-schema-registry'
const CONFLUENT = '@confluentinc/schemaregistry'

export function registryClients(url) {
  const registry = new kafkajs.SchemaRegistry({ host: url }, { [kafkajs.SchemaType.AVRO]: { typeHook } })
  const client = new confluent.SchemaRegistryClient({ baseURLs: [url] })
  const { VALUE } = confluent.SerdeType
  const serializer = new confluent.AvroSerializer(client, VALUE, { autoRegisterSchemas: false, useLatestVersion: true })
  const deserializer = new confluent.AvroDeserializer(client, VALUE, { typeHook })
  return {
    [KAFKAJS]: {
      register: async (subject, schema) => (await registry.register({ type: 'AVRO', schema }, { subject })).id,
      encode: async (topic, value) => registry.encode(await registry.getLatestSchemaId(`${topic}-value`), value),
      decode: (topic, bytes) => registry.decode(bytes),
    },
    [CONFLUENT]: {
      register: (subject, schema) => client.register(subject, { schemaType: 'AVRO', schema }),
      encode: (topic, value) => serializer.serialize(topic, value),
      decode: (topic, bytes) => deserializer.deserialize(topic, bytes),
    },
  }
}

export function kafka(bootstrap) {
  return new Kafka({ clientId: 'perceptron-wire-test', brokers: bootstrap.split(','), logLevel: logLevel.NOTHING })
}

export function usage(text) {
  console.error(`usage: node ${text}`)
  process.exit(2)
}
