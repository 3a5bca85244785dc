/** Resolves a job argument: an id, the end or start of one, or a dedupe key. */

import type { ListInput } from '../../../shared/contracts/observe.ts'
import { QueueError } from '../../../shared/errors.ts'
import { DAY, limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { type CliError, usageError } from '../exit-codes.ts'
import { truncate } from '../output/format.ts'
import { jobPages } from '../output/job-pages.ts'
import type { ListedJob } from '../output/job-record.ts'
import { formatState } from './states.ts'

const WHOLE_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/
const ID_START = /^[\da-f]{8}(?:-[\da-f-]*)?$/
const ID_PART = /^[\da-f-]{8,36}$/
/** The last group of an id has 12 characters, so only these forms can be the end of an id. */
const ID_END = /^[\da-f]{8,12}$|-[\da-f]{12}$/
/** Ids start with their creation time, so ids of the same minute differ only at the end. */
const SHORT = 8
/** Candidates listed in an error message. */
const MAX_CANDIDATES = 10
/** Each page has a time limit. The search gives up after this many pages. */
const MAX_PAGES = 100

/** The part of an id that tables and the dashboard show. */
export function shortId(id: string): string {
  return id.slice(-SHORT)
}

export async function findJobId(queue: Queue, given: string): Promise<string> {
  const word = given.trim()
  const id = word.toLowerCase()
  if (WHOLE_ID.test(id)) return id
  if (word === '') throw usageError('The job id is empty; queuectl list shows ids.')
  if (/^[\da-f-]+$/.test(id) && id.length < SHORT) {
    throw usageError(
      `${word} is too short for an id; use its last ${SHORT} characters, as in queuectl list, or the whole id.`,
    )
  }
  const matches = await (ID_PART.test(id) ? findByIdPartOrKey(queue, word) : findByKey(queue, word))
  const [match, ...others] = matches
  if (!match) throw ID_PART.test(id) ? noJobWithIdPart(word) : noSuchJob(word)
  if (others.length > 0) throw ambiguous(word, matches)
  return match.id
}

/** Tries the end of an id first, because tables show it, then the start. */
async function findByIdPart(queue: Queue, part: string): Promise<readonly ListedJob[]> {
  const ending = ID_END.test(part) ? await findByEnd(queue, part) : []
  if (ending.length > 0 || !ID_START.test(part)) return ending
  return findByStart(queue, part)
}

/** Dedupe keys such as dates and numbers can look like parts of ids. */
async function findByIdPartOrKey(queue: Queue, word: string): Promise<readonly ListedJob[]> {
  const byId = await findByIdPart(queue, word.toLowerCase())
  return byId.length > 0 ? byId : findByKey(queue, word)
}

async function findByEnd(queue: Queue, end: string): Promise<readonly ListedJob[]> {
  try {
    return await search(queue, { idEnd: end }, ({ id }) => id.endsWith(end))
  } catch (error) {
    // An older server does not support this filter.
    if (error instanceof QueueError && error.code === 'BAD_INPUT') return []
    throw error
  }
}

/** Ids start with their creation time, so only jobs created around that time are searched. */
async function findByStart(queue: Queue, prefix: string): Promise<readonly ListedJob[]> {
  const digits = prefix.replaceAll('-', '').slice(0, 12)
  const createdAfter = Number.parseInt(digits.padEnd(12, '0'), 16)
  const createdBefore = Number.parseInt(digits.padEnd(12, 'f'), 16)
  const isInTime = createdBefore + DAY <= limits.instant
  if (!isInTime) return []
  // The database clock may differ from ours; one day is a safe margin.
  const window = { from: Math.max(0, createdAfter - DAY), to: createdBefore + DAY }
  return search(queue, { search: prefix, ...window }, (job) => job.id.startsWith(prefix))
}

function findByKey(queue: Queue, key: string): Promise<readonly ListedJob[]> {
  if (key.length > limits.searchLength) throw noSuchJob(truncate(key, 40))
  return search(queue, { search: key }, (job) => job.dedupeKey === key)
}

async function search(
  queue: Queue,
  input: ListInput,
  isMatch: (job: ListedJob) => boolean,
): Promise<readonly ListedJob[]> {
  const found: ListedJob[] = []
  let pages = 0
  for await (const page of jobPages(queue, input, Number.MAX_SAFE_INTEGER)) {
    found.push(...page.jobs.filter(isMatch))
    if (found.length > MAX_CANDIDATES || page.isLast) break
    pages += 1
    if (pages === MAX_PAGES) throw searchIncomplete(found)
  }
  return found
}

function noJobWithIdPart(part: string): QueueError {
  return new QueueError(
    'NOT_FOUND',
    `No job has an id that ends or starts with ${part}, or that dedupe key. Use the last ${SHORT} characters of the id, as shown ` +
      'by queuectl list and the dashboard, or the whole id. Finished jobs are deleted after their retention.',
  )
}

/** The search gave up early, so a match that was found may not be the only one. */
function searchIncomplete(found: readonly ListedJob[]): CliError {
  const candidates = found.map((job) => `  ${job.id}  ${formatState(job.status)}  ${job.type}`)
  const advice = found.length > 0 ? 'Matches so far; use the whole id of one of them:' : 'Use the whole id.'
  return usageError(['There are too many jobs to search all of them.', advice, ...candidates].join('\n'))
}

function noSuchJob(word: string): QueueError {
  return new QueueError('NOT_FOUND', `${word} is neither the end of a job id nor a dedupe key.`)
}

function ambiguous(word: string, matches: readonly ListedJob[]): CliError {
  const candidates = matches
    .slice(0, MAX_CANDIDATES)
    .map((job) => `  ${job.id}  ${formatState(job.status)}  ${job.type}`)
  const more = matches.length > MAX_CANDIDATES ? ['  …'] : []
  return usageError(
    [
      `${word} matches several jobs; use the last ${SHORT} characters of the id, or the whole id:`,
      ...candidates,
      ...more,
    ].join('\n'),
  )
}
