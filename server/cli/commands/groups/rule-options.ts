/** Options of `groups set`: rules of a group or of one key. */
import { InvalidArgumentError } from 'commander'
import type { GroupOrder, GroupRate, GroupRules, OnDead, WhenFull } from '../../../../shared/contracts/groups.ts'
import { parseDuration } from '../../../../shared/duration.ts'
import { RULE_KEYS } from '../../../../shared/groups/choices.ts'
import { nearest } from '../../../../shared/json/nearest.ts'
import { usageError } from '../../exit-codes.ts'
import { positive } from '../../input/option-values.ts'

const NONE = 'none'

export interface RuleOptions {
  /** Commander takes null for a missing value. */
  readonly concurrency?: number | typeof NONE
  readonly rate?: GroupRate | typeof NONE
  readonly burst?: number
  readonly window?: number
  readonly order?: GroupOrder
  readonly whenFull?: WhenFull
  readonly onDead?: OnDead
  readonly paused?: true
  readonly resume?: true
}

const RULES: readonly (keyof GroupRules)[] = RULE_KEYS

export function concurrency(text: string): number | typeof NONE {
  return text === NONE ? NONE : positive(text)
}

/** `10/1s`, `100/min`, or `none`. */
export function rate(text: string): GroupRate | typeof NONE {
  if (text === NONE) return NONE
  const [, limit = '', time = ''] = /^(\d+)\/(.+)$/.exec(text) ?? []
  const perMs = parseDuration(/^[a-z]/.test(time) ? `1${time}` : time)
  if (limit === '' || perMs === null || perMs === 0) {
    throw new InvalidArgumentError('It must look like 10/1s or 600/min (jobs per time), or be none.')
  }
  return { limit: positive(limit), perMs }
}

export function rulesOf({ concurrency: most, rate: per, burst, paused, resume: _, ...rules }: RuleOptions): GroupRules {
  if (burst !== undefined && (per === undefined || per === NONE)) throw usageError('--burst needs --rate.')
  return {
    ...rules,
    ...(most !== undefined && { concurrency: most === NONE ? null : most }),
    ...(per !== undefined && { rate: per === NONE ? null : { ...per, ...(burst !== undefined && { burst }) } }),
    ...(paused && { paused: true }),
  }
}

/** Names as the options have them: `when-full`. */
export function ruleNames(words: readonly string[]): (keyof GroupRules)[] {
  return words.map((word) => {
    const name = word.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())
    const rule = RULES.find((known) => known === name)
    if (rule) return rule
    const known = RULES.map(optionName)
    const meant = nearest(word, known, 3)
    throw usageError(
      `There is no rule ${word}; ${meant ? `did you mean ${meant}?` : `the rules are ${known.join(', ')}.`}`,
    )
  })
}

/** `when-full` of `whenFull`. */
export function optionName(rule: string): string {
  return rule.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
