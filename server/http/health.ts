/** Health (the database is readable) and readiness (the server accepts work) for load balancers. */
import type { Logger } from 'pino'
import type { Clock } from '../base/clock.ts'
import { withTimeout } from '../base/with-timeout.ts'
import type { Engine } from '../engine/engine.ts'

/** A probe must return even if the database does not respond. */
const READ_TIMEOUT_MS = 5_000

export interface Health {
  readonly status: 'ok' | 'failing'
  /** With `normal` a power cut may lose the last commits. */
  readonly durability?: 'full' | 'normal'
  readonly problems: readonly string[]
  /** Conditions that need an operator although the server accepts work. */
  readonly warnings?: readonly string[]
}

export interface HealthParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Logger
  readonly isClosing: () => boolean
}

export async function checkHealth(parts: HealthParts): Promise<Health> {
  return (await readState(parts)).health
}

export async function checkReadiness(parts: HealthParts): Promise<Health> {
  const { engine, isClosing } = parts
  const { health, isFull, isStalled, hasNewerSchema, isClockUnsure } = await readState(parts)
  if (hasNewerSchema) warnOnce(parts)
  const readiness = toHealth(health, [
    ...health.problems,
    ...(isClosing() ? ['the server is shutting down'] : []),
    ...(isStalled || engine.upkeepAt === null ? ['maintenance has not run lately, so writes may be stuck'] : []),
    ...(isFull ? ['the disk is full, new jobs are refused'] : []),
  ])
  const warnings = [...(hasNewerSchema ? [NEWER] : []), ...(isClockUnsure ? [CLOCK_JUMPED] : [])]
  return warnings.length > 0 ? { ...readiness, warnings } : readiness
}

/**
 * A warning, not a problem: migrations keep the previous version working. As a problem it would make all other nodes unready at once
 * when the first node of a rolling upgrade migrates.
 */
const NEWER = 'a newer version has migrated the database; restart this server with that version'
/** No request is rejected for this. The store has logged it. */
const CLOCK_JUMPED = 'the clock jumped ahead, so retention and expiry wait until it has been steady for an hour'
const warned = new WeakSet<Engine>()

function warnOnce({ engine, log }: HealthParts): void {
  if (warned.has(engine)) return
  warned.add(engine)
  log.warn(NEWER)
}

interface ServerState {
  readonly health: Health
  readonly isFull: boolean
  readonly isStalled: boolean
  readonly hasNewerSchema: boolean
  readonly isClockUnsure: boolean
}

async function readState({ engine, clock, log }: HealthParts): Promise<ServerState> {
  const failing = (problem: string) => ({
    health: toHealth({}, [problem]),
    isFull: false,
    isStalled: false,
    hasNewerSchema: false,
    isClockUnsure: false,
  })
  try {
    const read = Promise.all([engine.facts(), engine.counts()])
    const result = await withTimeout(read, READ_TIMEOUT_MS, clock)
    if (!result) {
      log.error(`the database has not responded for ${READ_TIMEOUT_MS / 1_000} s`)
      return failing('the database does not respond')
    }
    const [{ durability, isFull, isStalled, hasNewerSchema, isClockUnsure }] = result
    return { health: toHealth({ durability }, []), isFull, isStalled, hasNewerSchema, isClockUnsure }
  } catch (error) {
    log.error({ err: error }, 'the database cannot be read')
    return failing('the database cannot be read')
  }
}

function toHealth({ durability }: Pick<Health, 'durability'>, problems: readonly string[]): Health {
  return { status: problems.length === 0 ? 'ok' : 'failing', ...(durability && { durability }), problems }
}
