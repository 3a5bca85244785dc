/** Finds the one job that was meant: by its id, by the beginning of it, or by its dedupe key. */
import type { ListInput } from '../../shared/contracts/observe.ts'
import { notFound, QueueError } from '../../shared/errors.ts'
import { DAY, limits } from '../../shared/limits.ts'
import type { Queue } from '../queue/queue.ts'
import { type Refusal, usage } from './exit-codes.ts'
import { jobPages } from './job-pages.ts'
import type { ListedJob } from './job-record.ts'
import { stateWords } from './states.ts'
import { cut } from './words.ts'

const WHOLE_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/
const ID_START = /^[\da-f]{8}(?:-[\da-f-]*)?$/
const MIN_PREFIX = 8
/** Enough of them to see what they are. */
const MAX_NAMED = 10

export async function findJobId(queue: Queue, given: string): Promise<string> {
  const word = given.trim()
  const id = word.toLowerCase()
  if (WHOLE_ID.test(id)) return id
  if (word === '') throw usage('A job is named by its id, which queuectl list shows.')
  if (/^[\da-f-]+$/.test(id) && id.length < MIN_PREFIX) {
    throw usage(`${word} is too short for an id; give at least its first ${MIN_PREFIX} characters.`)
  }
  const matches = ID_START.test(id) ? await startingWith(queue, id) : await withKey(queue, word)
  const [match, ...others] = matches
  if (!match) throw ID_START.test(id) ? noJobLike(word) : noJobNamed(word)
  if (others.length > 0) throw ambiguous(word, matches)
  return match.id
}

/** An id begins with the time it was made at, so there is no need to look through all jobs, only at those of that day. */
async function startingWith(queue: Queue, prefix: string): Promise<readonly ListedJob[]> {
  const digits = prefix.replaceAll('-', '').slice(0, 12)
  const madeAfter = Number.parseInt(digits.padEnd(12, '0'), 16)
  const madeBefore = Number.parseInt(digits.padEnd(12, 'f'), 16)
  const isInTime = madeBefore + DAY <= limits.instant
  if (!isInTime) return []
  // The database has a clock of its own: a day of difference is more than any two should have.
  const window = { from: Math.max(0, madeAfter - DAY), to: madeBefore + DAY }
  return search(queue, { search: prefix, ...window }, (job) => job.id.startsWith(prefix))
}

function withKey(queue: Queue, key: string): Promise<readonly ListedJob[]> {
  if (key.length > limits.searchLength) throw noJobNamed(cut(key, 40))
  return search(queue, { search: key }, (job) => job.dedupeKey === key)
}

async function search(
  queue: Queue,
  input: ListInput,
  isMeant: (job: ListedJob) => boolean,
): Promise<readonly ListedJob[]> {
  const found: ListedJob[] = []
  for await (const page of jobPages(queue, input, Number.MAX_SAFE_INTEGER)) {
    found.push(...page.jobs.filter(isMeant))
    if (found.length > MAX_NAMED) break
  }
  return found
}

function noJobLike(prefix: string): QueueError {
  return notFound(`${prefix}…`)
}

function noJobNamed(word: string): QueueError {
  return new QueueError('NOT_FOUND', `${word} is neither the beginning of a job's id nor a dedupe key.`)
}

function ambiguous(word: string, matches: readonly ListedJob[]): Refusal {
  const named = matches.slice(0, MAX_NAMED).map((job) => `  ${job.id}  ${stateWords(job.status)}  ${job.type}`)
  const more = matches.length > MAX_NAMED ? ['  …'] : []
  return usage([`${word} could be any of these; give more of the id:`, ...named, ...more].join('\n'))
}
