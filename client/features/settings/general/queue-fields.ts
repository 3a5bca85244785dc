/** What holds for the whole queue, field by field. */
import type { QueueSettings } from '../../../../shared/settings.ts'
import type { Field } from '../form/fields.ts'

export const FLOW_FIELDS: readonly Field<QueueSettings>[] = [
  {
    key: 'rate',
    label: 'Rate',
    unit: 'per second',
    kind: 'number',
    help: 'claims of all types together',
    isNullable: true,
    read: ({ rate }) => rate,
    write: (rate) => ({ rate }),
  },
  {
    key: 'burst',
    label: 'Burst',
    kind: 'number',
    help: 'claims at once after a quiet time',
    isNullable: true,
    read: ({ burst }) => burst,
    write: (burst) => ({ burst }),
  },
  {
    key: 'maxAttempts',
    label: 'Attempts',
    kind: 'number',
    help: 'of jobs whose type says nothing',
    isNullable: false,
    read: ({ maxAttempts }) => maxAttempts,
    write: (maxAttempts) => ({ maxAttempts }),
  },
  {
    key: 'crashBudget',
    label: 'Crash budget',
    kind: 'number',
    help: 'crashes of a worker before a job is set aside',
    isNullable: false,
    read: ({ crashBudget }) => crashBudget,
    write: (crashBudget) => ({ crashBudget }),
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
    key: 'leaseMs',
    label: 'Lease',
    kind: 'duration',
    help: 'of claims that name none',
    isNullable: false,
    read: ({ leaseMs }) => leaseMs,
    write: (leaseMs) => ({ leaseMs }),
  },
]

/** In queuectl's own words. */
export const COMMAND_FIELDS: readonly Field<QueueSettings>[] = [
  {
    key: 'max_retries',
    label: 'max_retries',
    kind: 'number',
    help: 'runs after the first',
    isNullable: false,
    read: ({ max_retries: retries }) => retries,
    write: (retries) => ({ max_retries: retries }),
  },
  {
    key: 'backoff_base',
    label: 'backoff_base',
    kind: 'number',
    help: 'to the power of the attempt, in seconds',
    isNullable: false,
    read: ({ backoff_base: base }) => base,
    write: (base) => ({ backoff_base: base }),
  },
]

export const QUEUE_FIELDS = [...FLOW_FIELDS, ...COMMAND_FIELDS]
