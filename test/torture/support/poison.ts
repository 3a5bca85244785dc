/** Poison jobs, which crash the process of their worker, among good jobs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import type { Queue } from '../../../server/index.ts'
import { compiled } from '../../support/compiled/compiled.ts'

export const TYPE = 'mixed'
export type Death = 'segfault' | 'abort' | 'kill' | 'exit'

export interface PoisonPayload {
  readonly death: Death | null
}

export interface Mixed {
  readonly poison: readonly string[]
  readonly good: readonly string[]
}

/** Nine good jobs after each poison job: a worker claims ten together. */
export async function enqueueMixed(queue: Pick<Queue, 'enqueueMany'>, deaths: readonly Death[]): Promise<Mixed> {
  const poison: string[] = []
  const good: string[] = []
  for (const death of deaths) {
    const payloads: PoisonPayload[] = [{ death }, ...Array.from({ length: 9 }, () => ({ death: null }))]
    const results = await queue.enqueueMany({ jobs: payloads.map((payload) => ({ type: TYPE, payload })) })
    const [first, ...others] = results.map(({ id }) => id)
    if (first === undefined) throw new Error('ten jobs were enqueued')
    poison.push(first)
    good.push(...others)
  }
  return { poison, good }
}

/** Runs a worker and restarts it after each crash until it exits cleanly. Returns the crashes. */
export async function keepWorking(url: string): Promise<readonly string[]> {
  const deaths: string[] = []
  let child: ChildProcess | null = null
  let isOver = false
  onTestFinished(() => {
    isOver = true
    child?.kill('SIGKILL')
  })
  while (!isOver) {
    const one = spawn(process.execPath, [compiled('test/torture/support/poison-child'), url], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    child = one
    const death = await new Promise<string>((resolve) => {
      one.once('close', (code, signal) => resolve(signal ?? String(code)))
    })
    if (death === '0') break
    deaths.push(death)
  }
  return deaths
}
