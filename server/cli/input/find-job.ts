/** Finds the one job that was meant: by its id, by the end or the beginning of it, or by its dedupe key. */
import type { ListInput } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { DAY, limits } from '../../../shared/limits.ts'
import type { Queue } from '../../queue/queue.ts'
import { type Refusal, usage } from '../exit-codes.ts'
import { cut } from '../output/format.ts'
import { jobPages } from '../output/job-pages.ts'
import type { ListedJob } from '../output/job-record.ts'
import { stateWords } from './states.ts'

const WHOLE_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/
const ID_START = /^[\da-f]{8}(?:-[\da-f-]*)?$/
const ID_PART = /^[\da-f-]{8,36}$/
/** Behind the last dash of an id are twelve characters, so no other part of one can be its end. */
const ID_END = /^[\da-f]{8,12}$|-[\da-f]{12}$/
/** An id begins with the time it was made at: those of one minute differ at the end. */
const SHORT = 8
/** Enough of them to see what they are. */
const MAX_NAMED = 10
/** Each page looks through jobs for a limited time; after these, older jobs are not looked at. */
const MAX_PAGES = 100

/** What tables and the dashboard show of an id. */
export function shortId(id: string): string {
  return id.slice(-SHORT)
}

export async function findJobId(queue: Queue, given: string): Promise<string> {
  const word = given.trim()
  const id = word.toLowerCase()
  if (WHOLE_ID.test(id)) return id
  if (word === '') throw usage('A job is named by its id, which queuectl list shows.')
  if (/^[\da-f-]+$/.test(id) && id.length < SHORT) {
    throw usage(
      `${word} is too short for an id; give its last ${SHORT} characters, as queuectl list shows them, or all of it.`,
    )
  }
  const matches = await (ID_PART.test(id) ? likeIdOrKey(queue, word) : withKey(queue, word))
  const [match, ...others] = matches
  if (!match) throw ID_PART.test(id) ? noJobLike(word) : noJobNamed(word)
  if (others.length > 0) throw ambiguous(word, matches)
  return match.id
}

/** The end of an id is what people are shown; its beginning will do where it is long enough. */
async function likeId(queue: Queue, part: string): Promise<readonly ListedJob[]> {
  const ending = ID_END.test(part) ? await endingWith(queue, part) : []
  if (ending.length > 0 || !ID_START.test(part)) return ending
  return startingWith(queue, part)
}

/** Dates and numbers are dedupe keys that look like parts of ids. */
async function likeIdOrKey(queue: Queue, word: string): Promise<readonly ListedJob[]> {
  const like = await likeId(queue, word.toLowerCase())
  return like.length > 0 ? like : withKey(queue, word)
}

async function endingWith(queue: Queue, end: string): Promise<readonly ListedJob[]> {
  try {
    return await search(queue, { idEnd: end }, ({ id }) => id.endsWith(end))
  } catch (error) {
    // A server of an older version does not know this filter.
    if (error instanceof QueueError && error.code === 'BAD_INPUT') return []
    throw error
  }
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
  let pages = 0
  for await (const page of jobPages(queue, input, Number.MAX_SAFE_INTEGER)) {
    found.push(...page.jobs.filter(isMeant))
    if (found.length > MAX_NAMED || page.isLast) break
    pages += 1
    if (pages === MAX_PAGES) throw notAllSearched(found)
  }
  return found
}

function noJobLike(part: string): QueueError {
  return new QueueError(
    'NOT_FOUND',
    `No job has an id that ends or begins with ${part}, or that dedupe key. Give the last ${SHORT} characters of the id, as queuectl ` +
      'list and the dashboard show them, or all of it. Finished jobs are removed after their retention.',
  )
}

/** There are too many jobs to look at each: one that was found may not be the only one. */
function notAllSearched(found: readonly ListedJob[]): Refusal {
  const named = found.map((job) => `  ${job.id}  ${stateWords(job.status)}  ${job.type}`)
  const what = found.length > 0 ? 'These were found; name the one you mean by its whole id:' : 'Give the whole id.'
  return usage(['There are too many jobs to look through all of them.', what, ...named].join('\n'))
}

function noJobNamed(word: string): QueueError {
  return new QueueError('NOT_FOUND', `${word} is neither the end of a job's id nor a dedupe key.`)
}

function ambiguous(word: string, matches: readonly ListedJob[]): Refusal {
  const named = matches.slice(0, MAX_NAMED).map((job) => `  ${job.id}  ${stateWords(job.status)}  ${job.type}`)
  const more = matches.length > MAX_NAMED ? ['  …'] : []
  return usage(
    [
      `${word} could be any of these; give the last ${SHORT} characters of the id, or all of it:`,
      ...named,
      ...more,
    ].join('\n'),
  )
}
