/** Form fields for the rules of a group, and for those that one key may override. */
import { GROUP_ORDERS, type GroupRules, KEY_RULES, ON_DEAD, WHEN_FULL } from '../../../../shared/contracts/groups.ts'
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
  choice(
    'order',
    'Order',
    GROUP_ORDERS,
    { fair: 'fair: round robin', strict: 'strict: one by one, in order' },
    (order) => ({
      order,
    }),
  ),
  choice(
    'whenFull',
    'When full',
    WHEN_FULL,
    {
      wait: 'wait',
      skip: 'skip the new job',
      replace: 'replace waiting jobs',
      cancel: 'cancel running jobs',
    },
    (whenFull) => ({ whenFull }),
  ),
  choice('onDead', 'After a failed job', ON_DEAD, { continue: 'continue', stop: 'stop (strict order)' }, (onDead) => ({
    onDead,
  })),
]

export const KEY_FIELDS = GROUP_FIELDS.filter(({ key }) => KEY_RULES.some((rule) => rule === key))

function choice<Value extends string>(
  key: 'order' | 'whenFull' | 'onDead',
  label: string,
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
  set: (value: Value) => RuleSettings,
): WrittenField<RuleSettings> {
  return {
    key,
    label,
    kind: 'text',
    isNullable: false,
    rule: `It must be one of ${values.join(', ')}.`,
    choices: values.map((value) => [value, labels[value]]),
    read: (settings) => settings[key],
    write: (text) => {
      const value = values.find((one) => one === text)
      return value === undefined ? null : set(value)
    },
  }
}
