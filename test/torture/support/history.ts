/** Oracle: compares acknowledgements with the database. Five zeros are a pass. */

export interface History {
  readonly intended: Set<string>
  readonly stored: Map<string, string>
  /** `id version` of every claim. */
  readonly claimed: Set<string>
  readonly finishing: Set<string>
  readonly finished: Set<string>
}

export interface Verdict {
  /** Acknowledged but not in the database. */
  readonly lost: number
  /** In the database without an enqueue: unknown jobs, or one key twice. */
  readonly unexpected: number
  readonly completedTwice: number
  /** An outcome recorded for a stale claim, or an acknowledged outcome that is not recorded. */
  readonly staleAccepted: number
  readonly stuck: number
}

export interface JobFact {
  readonly id: string
  readonly key: string
  readonly status: string
  /** The version of the claim that completed it, if any. */
  readonly completedBy: number | null
}

export const FIVE_ZEROS: Verdict = { lost: 0, unexpected: 0, completedTwice: 0, staleAccepted: 0, stuck: 0 }

export function emptyHistory(): History {
  return { intended: new Set(), stored: new Map(), claimed: new Set(), finishing: new Set(), finished: new Set() }
}

/** Reads the lines of a process; a last line truncated by the kill is ignored. */
export function readLines(history: History, output: string): void {
  for (const line of output.slice(0, output.lastIndexOf('\n') + 1).split('\n')) {
    const [word, first = '', second = ''] = line.split(' ')
    if (word === 'intent') history.intended.add(first)
    if (word === 'stored') history.stored.set(first, second)
    if (word === 'claimed') history.claimed.add(`${first} ${second}`)
    if (word === 'finishing') history.finishing.add(`${first} ${second}`)
    if (word === 'finished') history.finished.add(`${first} ${second}`)
  }
}

export function judge(history: History, jobs: readonly JobFact[]): Verdict {
  const byKey = new Map(jobs.map((job) => [job.key, job]))
  const recorded = new Set(jobs.filter((job) => job.completedBy !== null).map((job) => `${job.id} ${job.completedBy}`))
  return {
    lost: [...history.stored].filter(([key, id]) => byKey.get(key)?.id !== id).length,
    unexpected: jobs.filter((job) => !history.intended.has(job.key)).length + jobs.length - byKey.size,
    completedTwice: history.finished.size - new Set([...history.finished].map((claim) => claim.split(' ')[0])).size,
    staleAccepted:
      [...history.finished].filter((claim) => !recorded.has(claim)).length +
      [...recorded].filter((claim) => !history.finishing.has(claim)).length,
    stuck: jobs.filter((job) => job.status !== 'completed').length,
  }
}
