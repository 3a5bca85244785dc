/**
 * Isolation of jobs with recorded crashes (suspects): such a job goes to a process that runs nothing else, and that process gets
 * nothing else until it has settled the job. The next crash then has one possible cause and affects no other job.
 */
import { SHARED_WORKERS } from '../../../shared/sources.ts'
import type { OpOf } from '../ops.ts'
import { type Candidate, comesBefore } from './claim-order.ts'
import type { Reservations } from './reservations.ts'
import type { KnownType } from './rules.ts'

type ClaimOp = OpOf<'claim'>

/** A pending suspect. */
export interface Suspect {
  readonly type: string
  readonly candidate: Candidate
}

/** A lease holder, read from the database: a process, or a worker whose process is not known. */
export interface HolderRow {
  readonly holder: string
  readonly holdsSuspect: boolean
}

/** Pending suspects that are read per type and commit. A claim takes one at most. */
export const MAX_SUSPECTS = 100

/** What a claim may take: this suspect and nothing else, nothing at all, or any jobs without crashes. */
export type Permission = { readonly suspect: Suspect } | 'nothing' | 'others'

/** The state of isolation within one commit. */
export class Isolation {
  private readonly reservations: Reservations
  private readonly suspects: Suspect[]
  private readonly holders = new Map<string, { holdsSuspect: boolean }>()
  /** Pending suspects by type, as of the read or of the last take. */
  private readonly counts = new Map<string, number>()
  private readonly now: number

  constructor(reservations: Reservations, suspects: readonly Suspect[], holders: readonly HolderRow[], now: number) {
    this.reservations = reservations
    this.suspects = suspects.toSorted((a, b) => (comesBefore(a.candidate, b.candidate) ? -1 : 1))
    for (const { holder, holdsSuspect } of holders) this.addHolder(holder, holdsSuspect)
    this.now = now
    this.taken()
  }

  count(type: string): number {
    return this.counts.get(type) ?? 0
  }

  /** The chosen jobs have been taken. */
  taken(): void {
    this.counts.clear()
    for (const { type } of this.suspects) this.counts.set(type, this.count(type) + 1)
  }

  /** `typeOf`: any known type by name; `eligible`: the claim's types with capacity; `best`: the first job without crashes. */
  permit(
    op: ClaimOp,
    typeOf: (name: string) => KnownType | undefined,
    eligible: ReadonlyMap<KnownType, number>,
    best: Candidate | undefined,
  ): Permission {
    const open = this.suspects.filter(({ type }) => isIn(eligible.keys(), type))
    const isFirst = (suspect: Suspect) => !best || comesBefore(suspect.candidate, best)
    // One such worker name stands for many processes: the job can only get a response without other jobs.
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
    const next = open.find(({ candidate: [seq] }) => !this.reservations.isReserved(seq, this.now))
    if (!next || !isFirst(next)) return 'others'
    return this.reservations.add(holder, { seq: next.candidate[0], type: next.type }, this.now) ? 'nothing' : 'others'
  }

  /** A claim of this commit has chosen a job. */
  chosen(op: ClaimOp, suspect: Suspect | null): void {
    if (!op.settle) this.addHolder(holderOf(op), suspect !== null)
    if (!suspect) return
    this.suspects.splice(this.suspects.indexOf(suspect), 1)
    this.reservations.taken(suspect.candidate[0])
  }

  /** 'elsewhere': another worker of the same process claims jobs of its type. */
  private reserved(
    op: ClaimOp,
    typeOf: (name: string) => KnownType | undefined,
    open: readonly Suspect[],
  ): Suspect | 'elsewhere' | undefined {
    const holder = holderOf(op)
    const reserved = this.reservations.of(holder, this.now)
    if (!reserved) return undefined
    if (!claimsType(op, typeOf(reserved.type))) return 'elsewhere'
    const suspect = open.find(({ candidate: [seq] }) => seq === reserved.seq)
    if (suspect) {
      this.reservations.claimed(holder, this.now)
      return suspect
    }
    // The job is no longer pending, or its type has no capacity now.
    this.reservations.end(holder)
    return undefined
  }

  private addHolder(holder: string, holdsSuspect: boolean): void {
    const held = this.holders.get(holder)
    if (held) held.holdsSuspect ||= holdsSuspect
    else this.holders.set(holder, { holdsSuspect })
  }
}

/** The unit that crashes as a whole: the process, where it is known. */
export function holderOf({ process, worker }: Pick<ClaimOp, 'process' | 'worker'>): string {
  return process ?? worker
}

/** Whether a claim could take jobs of a type, also when none of them is pending. */
function claimsType({ types, kindOfType }: ClaimOp, type: KnownType | undefined): boolean {
  if (!type) return false
  if (types && !types.includes(type.name)) return false
  const kind = kindOfType ?? (types ? type.kind : 'job')
  return type.kind === kind
}

function isIn(types: Iterable<KnownType>, name: string): boolean {
  for (const type of types) if (type.name === name) return true
  return false
}
