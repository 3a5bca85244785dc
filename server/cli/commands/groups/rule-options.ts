/** Options of `groups set`: rules of a group or of one key. */
import { InvalidArgumentError } from 'commander'
import {
  type GroupOrder,
  type GroupRate,
  type GroupRules,
  groupRulesSchema,
  type OnDead,
  type WhenFull,
} from '../../../../shared/contracts/groups.ts'
import { parseDuration } from '../../../../shared/duration.ts'
import { nearest } from '../../../../shared/json/nearest.ts'
import { usageError } from '../../exit-codes.ts'
import { positive } from '../../input/option-values.ts'

export interface RuleOptions {
  readonly concurrency?: number | null
  readonly rate?: GroupRate | null
  readonly burst?: number
  readonly window?: number
  readonly order?: GroupOrder
  readonly whenFull?: WhenFull
  readonly onDead?: OnDead
  readonly paused?: true
  readonly resume?: true
}

const NONE = 'none'
const RULES = groupRulesSchema.keyof().options

export function concurrency(text: string): number | null {
  return text === NONE ? null : positive(text)
}

/** `10/1s`, `100/min`, or `none`. */
export function rate(text: string): GroupRate | null {
  if (text === NONE) return null
  const [, limit = '', time = ''] = /^(\d+)\/(.+)$/.exec(text) ?? []
  const perMs = parseDuration(/^[a-z]/.test(time) ? `1${time}` : time)
  if (limit === '' || perMs === null || perMs === 0) {
    throw new InvalidArgumentError('It must look like 10/1s or 600/min (jobs per time), or be none.')
  }
  return { limit: positive(limit), perMs }
}

export function rulesOf({ resume: _, burst, rate: per, paused, ...rules }: RuleOptions): GroupRules {
  if (burst !== undefined && !per) throw usageError('--burst needs --rate.')
  return {
    ...rules,
    ...(per !== undefined && { rate: per && burst !== undefined ? { ...per, burst } : per }),
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
