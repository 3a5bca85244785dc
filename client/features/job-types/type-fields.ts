/** Form fields for the settings of a job type. */
import type { TypeSettings } from '../../../shared/settings/settings.ts'
import type { Field } from '../../ui/form/fields.ts'

export const TYPE_FIELDS: readonly Field<TypeSettings>[] = [
  {
    key: 'rate',
    label: 'Rate',
    unit: 'per second',
    kind: 'number',
    isNullable: true,
    read: ({ rate }) => rate,
    write: (rate) => ({ rate }),
  },
  {
    key: 'burst',
    label: 'Burst',
    kind: 'number',
    help: 'jobs that may start at once before the rate applies',
    isNullable: true,
    read: ({ burst }) => burst,
    write: (burst) => ({ burst }),
  },
  {
    key: 'maxConcurrency',
    label: 'Max concurrency',
    kind: 'number',
    help: 'jobs running at the same time',
    isNullable: true,
    read: ({ maxConcurrency }) => maxConcurrency,
    write: (maxConcurrency) => ({ maxConcurrency }),
  },
  {
    key: 'maxAttempts',
    label: 'Max attempts',
    kind: 'number',
    isNullable: false,
    read: ({ maxAttempts }) => maxAttempts,
    write: (maxAttempts) => ({ maxAttempts }),
  },
  {
    key: 'timeoutMs',
    label: 'Timeout',
    kind: 'duration',
    help: 'per attempt',
    isNullable: true,
    read: ({ timeoutMs }) => timeoutMs,
    write: (timeoutMs) => ({ timeoutMs }),
  },
  {
    key: 'retentionMs',
    label: 'Retention',
    kind: 'duration',
    help: 'how long finished jobs are kept',
    isNullable: false,
    read: ({ retentionMs }) => retentionMs,
    write: (retentionMs) => ({ retentionMs }),
  },
  {
    key: 'crashBudget',
    label: 'Crash budget',
    kind: 'number',
    help: 'a job fails after crashing its worker this often (at least twice)',
    isNullable: false,
    read: ({ crashBudget }) => crashBudget,
    write: (crashBudget) => ({ crashBudget }),
  },
]
