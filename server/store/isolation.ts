/**
 * Hands out jobs with recorded crashes (suspects) alone: to a process that runs nothing else, and nothing else to that process
 * until it has settled the job. A crash then is that job's own, and takes no other job along.
 */
import { SHARED_WORKERS } from '../../shared/sources.ts'
import { type Candidate, comesBefore } from './claim-order.ts'
import type { OpOf } from './ops.ts'
import type { Reservations } from './reservations.ts'
import type { KnownType } from './rules.ts'

type ClaimOp = OpOf<'claim'>

/** A pending suspect. */
export interface Suspect {
  readonly type: string
  readonly head: Candidate
}

/** Who holds leases, read from the database: by process, or by worker where no process is known. */
export interface HolderRow {
  readonly holder: string
  readonly holdsSuspect: boolean
}

/** Pending suspects read per type and commit: each claim takes one at most. */
export const MAX_SUSPECTS = 100

/** What a claim may take: this suspect and nothing else, nothing at all, or any jobs without crashes. */
export type Permission = { readonly suspect: Suspect } | 'nothing' | 'others'

/** One commit's view. */
export class Isolation {
  private readonly reservations: Reservations
  private readonly suspects: Suspect[]
  private readonly holders = new Map<string, { holdsSuspect: boolean }>()
  /** How many suspects of each type waited when they were read, or after the last ones were taken. */
  private readonly totals = new Map<string, number>()
  private readonly now: number

  constructor(reservations: Reservations, suspects: readonly Suspect[], holders: readonly HolderRow[], now: number) {
    this.reservations = reservations
    this.suspects = suspects.toSorted((a, b) => (comesBefore(a.head, b.head) ? -1 : 1))
    for (const { holder, holdsSuspect } of holders) this.note(holder, holdsSuspect)
    this.now = now
    this.taken()
  }

  total(type: string): number {
    return this.totals.get(type) ?? 0
  }

  /** What was chosen has been handed out. */
  taken(): void {
    this.totals.clear()
    for (const { type } of this.suspects) this.totals.set(type, this.total(type) + 1)
  }

  /** `typeOf`: any known type by name; `eligible`: the claim's types that may run now; `best`: the first job without crashes. */
  permit(
    op: ClaimOp,
    typeOf: (name: string) => KnownType | undefined,
    eligible: ReadonlyMap<KnownType, number>,
    best: Candidate | undefined,
  ): Permission {
    const open = this.suspects.filter(({ type }) => isIn(eligible.keys(), type))
    const isFirst = (suspect: Suspect) => !best || comesBefore(suspect.head, best)
    // Clients behind one name are many processes: a response of its own is all that can be done for the job.
    if (op.settle || SHARED_WORKERS.has(op.worker)) {
      const [suspect] = open
      return suspect && isFirst(suspect) ? { suspect } : 'others'
    }
    const holder = holderOf(op)
    const held = this.holders.get(holder)
    if (held?.holdsSuspect) return 'nothing'
    const reserved = this.reserved(op, typeOf, open)
    if (reserved) return held || reserved === 'elsewhere' ? 'nothing' : { suspect: reserved }
    if (!held) {
      const [suspect] = open
      return suspect && isFirst(suspect) ? { suspect } : 'others'
    }
    const next = open.find(({ head: [seq] }) => !this.reservations.isReserved(seq, this.now))
    if (!next || !isFirst(next)) return 'others'
    return this.reservations.add(holder, { seq: next.head[0], type: next.type }, this.now) ? 'nothing' : 'others'
  }

  /** A claim of this commit has chosen a job. */
  chosen(op: ClaimOp, suspect: Suspect | null): void {
    if (!op.settle) this.note(holderOf(op), suspect !== null)
    if (!suspect) return
    this.suspects.splice(this.suspects.indexOf(suspect), 1)
    this.reservations.taken(suspect.head[0])
  }

  /** 'elsewhere': another worker of the same process asks for its type. */
  private reserved(
    op: ClaimOp,
    typeOf: (name: string) => KnownType | undefined,
    open: readonly Suspect[],
  ): Suspect | 'elsewhere' | undefined {
    const holder = holderOf(op)
    const reserved = this.reservations.of(holder, this.now)
    if (!reserved) return undefined
    if (!asksFor(op, typeOf(reserved.type))) return 'elsewhere'
    const suspect = open.find(({ head: [seq] }) => seq === reserved.seq)
    if (suspect) {
      this.reservations.claimed(holder, this.now)
      return suspect
    }
    // It is gone, or its type may not run at the moment.
    this.reservations.end(holder)
    return undefined
  }

  private note(holder: string, holdsSuspect: boolean): void {
    const held = this.holders.get(holder)
    if (held) held.holdsSuspect ||= holdsSuspect
    else this.holders.set(holder, { holdsSuspect })
  }
}

/** What crashes as one. */
export function holderOf({ process, worker }: Pick<ClaimOp, 'process' | 'worker'>): string {
  return process ?? worker
}

/** Whether a claim could take jobs of a type, also when none of them is pending. */
function asksFor({ types, kindOfType }: ClaimOp, type: KnownType | undefined): boolean {
  if (!type) return false
  if (types && !types.includes(type.name)) return false
  const kind = kindOfType ?? (types ? type.kind : 'job')
  return type.kind === kind
}

function isIn(types: Iterable<KnownType>, name: string): boolean {
  for (const type of types) if (type.name === name) return true
  return false
}
