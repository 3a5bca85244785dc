/** What a supervisor says to its worker processes. */
import { z } from 'zod'
import type { Config } from '../base/config/config.ts'

/** Where the queue is, and how it was configured where that matters. */
export interface Home {
  readonly url: string
  readonly token?: string | undefined
  readonly config?: Omit<Config, 'url'> | undefined
}

export interface WorkerSettings {
  readonly home: Home
  readonly name: string
  readonly types: readonly string[] | null
  readonly concurrency: number
  readonly leaseMs: number
  /** What a worker whose supervisor is gone may still take to finish. */
  readonly graceMs: number
  /** Its events as JSON on stdout; else as lines on stderr. */
  readonly json: boolean
}

export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** Finish what runs, for as long; the shortest that was asked for counts. */
  | { readonly kind: 'stop'; readonly graceMs: number }

/** Only the two of them talk here: what kind of message it is says the rest. */
export const isToWorker = (message: unknown): message is ToWorker =>
  z.object({ kind: z.enum(['start', 'stop']) }).safeParse(message).success
