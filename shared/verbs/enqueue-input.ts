/** Parsers of `enqueue` and `enqueueMany`: jobs without options, which most jobs are, are checked without zod. */
import type { z } from 'zod'
import { enqueueInput, enqueueManyInput } from '../contracts/produce.ts'
import { isObject } from '../json/is-object.ts'
import { limits } from '../limits.ts'
import { RESERVED_PREFIX } from '../reserved-types.ts'
import { parseInput } from './parse-input.ts'

type EnqueueParams = z.output<typeof enqueueInput>
type EnqueueManyParams = z.output<typeof enqueueManyInput>

/** Of the type names that zod accepts. */
const USUAL_TYPE = /^[\w.:/-]+$/
const DEFAULTS = enqueueInput.parse({ type: 'any', payload: null })

/** Anything but a type and a payload goes through zod, which also words the errors. */
export function parseEnqueue(input: unknown): EnqueueParams {
  return readPlain(input) ?? parseInput(enqueueInput, input)
}

export function parseEnqueueMany(input: unknown): EnqueueManyParams {
  const jobs = readJobs(input)
  return jobs ? { jobs } : parseInput(enqueueManyInput, input)
}

function readJobs(input: unknown): EnqueueParams[] | null {
  if (!isObject(input) || Object.keys(input).length !== 1) return null
  const { jobs } = input
  if (!Array.isArray(jobs) || jobs.length === 0 || jobs.length > limits.enqueueMany) return null
  const plain: EnqueueParams[] = []
  for (const one of jobs) {
    const job = readPlain(one)
    if (!job) return null
    plain.push(job)
  }
  return plain
}

/** null: not a job with nothing but a type and a payload. */
function readPlain(input: unknown): EnqueueParams | null {
  if (!isObject(input)) return null
  for (const key in input) if (key !== 'type' && key !== 'payload') return null
  const { type, payload } = input
  if (typeof type !== 'string' || payload === undefined) return null
  if (type.length > limits.typeLength || type.startsWith(RESERVED_PREFIX) || !USUAL_TYPE.test(type)) return null
  return { ...DEFAULTS, type, payload }
}
