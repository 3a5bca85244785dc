/** Form fields for the rules of a group, and for those that one key may override. */
import type { GroupRules } from '../../../../shared/contracts/groups.ts'
import type { KeyRules } from '../../../../shared/groups/rules.ts'
import type { Field, WrittenField } from '../../../ui/form/fields.ts'
import { formatRate, parseRate, RATE_RULE } from './rate.ts'

/** Rules have no backoff; the form of settings knows one. */
export type RuleSettings = GroupRules & { readonly backoff?: undefined }

export const GROUP_FIELDS: readonly Field<RuleSettings>[] = [
  {
    key: 'concurrency',
    label: 'Concurrency',
    kind: 'number',
    help: 'jobs of a key that are ready or running; running jobs are never stopped',
    isNullable: true,
    read: ({ concurrency }) => concurrency,
    write: (concurrency) => ({ concurrency }),
  },
  {
    key: 'rate',
    label: 'Rate',
    kind: 'text',
    help: 'starts per key: 10/s, 600/min, 5 per 10s, burst 3',
    rule: RATE_RULE,
    isNullable: true,
    read: ({ rate }) => rate && formatRate(rate),
    write: (text) => {
      if (text === null) return { rate: null }
      const rate = parseRate(text)
      return rate && { rate }
    },
  },
  {
    key: 'window',
    label: 'Window',
    kind: 'number',
    help: 'jobs of a key ready for workers at a time; fewer are fairer',
    isNullable: false,
    read: ({ window }) => window,
    write: (window) => ({ window }),
  },
  choice('order', 'Order', { fair: 'fair: keys take turns', strict: 'strict: one by one, in order' }, (order) => ({
    order,
  })),
  choice(
    'whenFull',
    'When full',
    {
      wait: 'wait',
      skip: 'skip the new job',
      replace: 'replace waiting jobs',
      cancel: 'cancel running jobs',
    },
    (whenFull) => ({ whenFull }),
  ),
  choice('onDead', 'After a failed job', { continue: 'continue', stop: 'stop (strict order)' }, (onDead) => ({
    onDead,
  })),
]

/** `paused` is set by a button instead. */
const OF_KEY = ['concurrency', 'rate'] as const satisfies readonly (keyof KeyRules)[]

export const KEY_FIELDS = GROUP_FIELDS.filter(({ key }) => OF_KEY.some((rule) => rule === key))

function choice<Key extends 'order' | 'whenFull' | 'onDead'>(
  key: Key,
  label: string,
  labels: Readonly<Record<NonNullable<GroupRules[Key]>, string>>,
  set: (value: NonNullable<GroupRules[Key]>) => RuleSettings,
): WrittenField<RuleSettings> {
  const isValue = (text: string): text is NonNullable<GroupRules[Key]> => Object.hasOwn(labels, text)
  return {
    key,
    label,
    kind: 'text',
    isNullable: false,
    rule: `It must be one of ${Object.keys(labels).join(', ')}.`,
    choices: Object.entries<string>(labels),
    read: (settings) => settings[key],
    write: (text) => (text !== null && isValue(text) ? set(text) : null),
  }
}
