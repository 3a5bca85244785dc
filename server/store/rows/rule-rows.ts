/** Columns of the rows that Rules are loaded from. */
import { columnsOf } from './tables.ts'

export const STORED_TYPE = columnsOf('jobTypes', ['name', 'kind', 'declared', 'override'])
export const SETTING = columnsOf('settings', ['key', 'value'])
export const BUCKET = columnsOf('rateBuckets', ['name', 'tokens', 'refilledAt'])
