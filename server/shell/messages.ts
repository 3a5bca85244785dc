/** Messages from a supervisor to its worker processes. */
import { z } from 'zod'
import type { Config } from '../base/config/config.ts'

/** Address and configuration of the queue. */
export interface QueueLocation {
  readonly url: string
  readonly token?: string | undefined
  readonly config?: Omit<Config, 'url'> | undefined
}

export interface WorkerSettings {
  readonly location: QueueLocation
  readonly name: string
  readonly types: readonly string[] | null
  readonly concurrency: number
  readonly leaseMs: number
  /** Grace for running jobs when the supervisor is gone. */
  readonly graceMs: number
  /** true: events as JSON on stdout; false: as log lines on stderr. */
  readonly json: boolean
}

export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** With several messages the shortest grace applies. */
  | { readonly kind: 'stop'; readonly graceMs: number }

/** Checks only `kind`: both ends are Millrace. */
export const isToWorker = (message: unknown): message is ToWorker =>
  z.object({ kind: z.enum(['start', 'stop']) }).safeParse(message).success
