/** Groups of the torture tests, with their rules; types have the same names. */
import type { GroupRules } from '../../../shared/contracts/groups.ts'

export const KEYS = ['a', 'b', 'c', 'd', 'e'] as const

export const GROUPS = [
  { name: 'limited', rules: { concurrency: 2 } },
  { name: 'rated', rules: { rate: { limit: 20, perMs: 1_000 } } },
  { name: 'ordered', rules: { order: 'strict' } },
  { name: 'narrow', rules: { concurrency: 3, window: 1 } },
] as const satisfies readonly { readonly name: string; readonly rules: GroupRules }[]
