/** Form fields for the settings of the queue. */
import type { QueueSettings } from '../../../../shared/settings/settings.ts'
import type { Field } from '../../../ui/form/fields.ts'

export const FLOW_FIELDS: readonly Field<QueueSettings>[] = [
  {
    key: 'rate',
    label: 'Rate',
    unit: 'per second',
    kind: 'number',
    help: 'all types together',
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
    key: 'maxAttempts',
    label: 'Max attempts',
    kind: 'number',
    help: 'default for types without their own',
    isNullable: false,
    read: ({ maxAttempts }) => maxAttempts,
    write: (maxAttempts) => ({ maxAttempts }),
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
    help: 'default lease',
    isNullable: false,
    read: ({ leaseMs }) => leaseMs,
    write: (leaseMs) => ({ leaseMs }),
  },
]

/** Named as in `queuectl config`. */
export const COMMAND_FIELDS: readonly Field<QueueSettings>[] = [
  {
    key: 'max_retries',
    label: 'max_retries',
    kind: 'number',
    help: 'retries after the first run',
    isNullable: false,
    read: ({ max_retries: retries }) => retries,
    write: (retries) => ({ max_retries: retries }),
  },
  {
    key: 'backoff_base',
    label: 'backoff_base',
    kind: 'number',
    help: 'delay is base ^ attempt, in seconds',
    isNullable: false,
    read: ({ backoff_base: base }) => base,
    write: (base) => ({ backoff_base: base }),
  },
]

export const QUEUE_FIELDS = [...FLOW_FIELDS, ...COMMAND_FIELDS]
