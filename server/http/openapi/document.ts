/** OpenAPI 3.1 document of the server, generated from the schemas that validate requests. */
import { z } from 'zod'
import { VERSION } from '../../base/version.ts'
import { coreComponents, coreOperations } from './core.ts'
import { healthOperations } from './health.ts'
import { type Json, type JsonObject, objectAt } from './json.ts'
import { jsonQueueOperations, queueJob } from './json-queue.ts'
import { message, messageOperations } from './messages.ts'
import { type Operation, type OperationResponse, type Parameter, restError } from './operation.ts'
import { task, taskCounts, taskOperations } from './tasks.ts'

const TAGS: readonly JsonObject[] = [
  { name: 'json queue', description: 'Add, claim and settle jobs with three calls, from any language.' },
  { name: 'messages', description: 'Text messages by topic: read once, or read and acknowledged.' },
  {
    name: 'tasks',
    description: 'Create, list, retry, cancel and delete tasks. `/api/task-queue/tasks` is the same as `/api/tasks`.',
  },
  { name: 'health', description: 'Probes for load balancers and container platforms.' },
  {
    name: 'procedures',
    description:
      'The procedures of the queue, as `@trpc/client` calls them. Mutations are POSTs of their input as JSON; the input of a ' +
      'query is JSON in the parameter `input`. Timestamps are milliseconds since 1970 UTC.',
  },
]

const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Refusal: restError,
  QueueJob: queueJob,
  Message: message,
  Task: task,
  TaskCounts: taskCounts,
  ...coreComponents,
}
const names = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(COMPONENTS)) names.add(schema, { id })

/** `basePath` as in the settings: '' or '/queue'. */
export function describeServer(basePath = ''): JsonObject {
  const operations = [
    ...jsonQueueOperations,
    ...messageOperations,
    ...taskOperations,
    ...healthOperations,
    ...coreOperations(),
  ]
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(operation) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Millrace',
      version: VERSION,
      summary: 'A job queue over HTTP.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }, {}],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Required if the server has a token.' },
      },
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(describeComponent)),
    },
  }
}

function describeOperation(operation: Operation): JsonObject {
  const { id, tag, summary, description, parameters = [], body, responses } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(body && {
      requestBody: { required: body.isRequired, content: json(schemaOf(body.schema, 'input'), body.example) },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, response]) => [code, describeResponse(response)]),
    ),
  }
}

function describeParameter({ name, in: place, description, schema, isJson, isRequired }: Parameter): JsonObject {
  const shape = schemaOf(schema, 'input')
  return {
    name,
    in: place,
    description,
    required: place === 'path' || isRequired === true,
    ...(isJson ? { content: json(shape) } : { schema: shape }),
  }
}

function describeResponse({ description, schema }: OperationResponse): JsonObject {
  return { description, ...(schema && { content: json(schemaOf(schema, 'output')) }) }
}

function json(schema: JsonObject, example?: unknown): JsonObject {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example: plain.parse(example) }) } }
}

const plain = z.json().transform((value): Json => value)
const object = z.record(z.string(), z.json()).transform((value): JsonObject => value)

/** Named components become references. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, $defs: _described, ...shape } = toSchema(schema, io)
  return shape
}

function describeComponent([id, schema]: readonly [string, z.ZodType]): readonly [string, JsonObject] {
  const { id: _, ...shape } = objectAt(objectAt(toSchema(schema, 'input'), '$defs'), id)
  return [id, shape]
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, metadata: names, unrepresentable: 'any' }))
  return object.parse(JSON.parse(text, refer))
}

function refer(key: string, value: unknown): unknown {
  return key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value
}
