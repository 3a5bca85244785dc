/** The phases of one commit: settle, insert, promote and rescue, claim. */
import type { Op, OpKind } from './ops.ts'

/** The order within one commit: operations that free capacity come before claims. */
const PHASES: Partial<Record<OpKind, number>> = {
  enqueue: 1,
  promote: 2,
  admitBlocked: 2,
  rescue: 2,
  renewLeases: 2,
  claim: 3,
}

export function phaseOf(kind: OpKind): number {
  return PHASES[kind] ?? 0
}

/** Indexes in the order of the phases, within a phase in order of arrival. Most commits have operations of one phase only. */
export function inPhases(ops: readonly Op[]): Iterable<number> {
  const phases: number[][] = [[], [], [], []]
  for (let index = 0; index < ops.length; index++) {
    const op = ops[index]
    if (op) phases[phaseOf(op.kind)]?.push(index)
  }
  return phases.find((phase) => phase.length === ops.length) ?? phases.flat()
}
