/** Answers for load balancers: is the database readable (health), and is this a server to send work to (ready). */
import type { Logger } from 'pino'
import type { Clock } from '../base/clock.ts'
import type { Engine } from '../engine/engine.ts'

/** Whoever asks wants an answer, also while the database gives none. */
const LOOK_MS = 5_000

export interface Health {
  readonly status: 'ok' | 'failing'
  /** `normal` means that a power cut may take the last moments with it. */
  readonly durability?: 'full' | 'normal'
  readonly problems: readonly string[]
  /** What an operator should act on although this server takes work. */
  readonly warnings?: readonly string[]
}

export interface HealthParts {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Logger
  readonly isClosing: () => boolean
}

export async function checkHealth(parts: HealthParts): Promise<Health> {
  return (await look(parts)).health
}

export async function checkReadiness(parts: HealthParts): Promise<Health> {
  const { engine, isClosing } = parts
  const { health, isFull, isStalled, hasNewerSchema, isClockUnsure } = await look(parts)
  if (hasNewerSchema) warnOnce(parts)
  const readiness = judge(health, [
    ...health.problems,
    ...(isClosing() ? ['the server is shutting down'] : []),
    ...(isStalled || engine.upkeepAt === null ? ['upkeep has not run lately, so writes may be stuck'] : []),
    ...(isFull ? ['the disk is full, new jobs are refused'] : []),
  ])
  const warnings = [...(hasNewerSchema ? [NEWER] : []), ...(isClockUnsure ? [CLOCK_JUMPED] : [])]
  return warnings.length > 0 ? { ...readiness, warnings } : readiness
}

/**
 * Not a problem that makes a node unready: migrations keep the version before them working, and when the first node of a rolling
 * upgrade has migrated, all others would leave the load balancer at the same moment.
 */
const NEWER = 'a newer version has migrated the database; restart this server with that version'
/** Nothing is refused for it. The store has written a line to the log. */
const CLOCK_JUMPED = 'the clock jumped ahead, so retention and expiry wait until it has been steady for an hour'
const warned = new WeakSet<Engine>()

function warnOnce({ engine, log }: HealthParts): void {
  if (warned.has(engine)) return
  warned.add(engine)
  log.warn(NEWER)
}

interface Looked {
  readonly health: Health
  readonly isFull: boolean
  readonly isStalled: boolean
  readonly hasNewerSchema: boolean
  readonly isClockUnsure: boolean
}

async function look({ engine, clock, log }: HealthParts): Promise<Looked> {
  const failing = (problem: string) => ({
    health: judge({}, [problem]),
    isFull: false,
    isStalled: false,
    hasNewerSchema: false,
    isClockUnsure: false,
  })
  try {
    const read = Promise.all([engine.facts(), engine.counts()])
    const answer = await within(read, LOOK_MS, clock)
    if (!answer) {
      log.error(`the database has not answered for ${LOOK_MS / 1_000} s`)
      return failing('the database does not answer')
    }
    const [{ durability, isFull, isStalled, hasNewerSchema, isClockUnsure }] = answer
    return { health: judge({ durability }, []), isFull, isStalled, hasNewerSchema, isClockUnsure }
  } catch (error) {
    log.error({ err: error }, 'the database cannot be read')
    return failing('the database cannot be read')
  }
}

/** null: it takes longer. */
export async function within<Answer>(answer: Promise<Answer>, ms: number, clock: Clock): Promise<Answer | null> {
  let giveUp = () => {}
  const tooLong = new Promise<null>((resolve) => {
    giveUp = () => resolve(null)
  })
  const timer = clock.after(ms, giveUp)
  try {
    return await Promise.race([answer, tooLong])
  } finally {
    timer.cancel()
  }
}

function judge({ durability }: Pick<Health, 'durability'>, problems: readonly string[]): Health {
  return { status: problems.length === 0 ? 'ok' : 'failing', ...(durability && { durability }), problems }
}
