/** Procedures under a name: `types.list`, `settings.get`. */
import { mutation, query } from './verb.ts'

/** Job types and their settings. */
export const typeProcedures = {
  list: query('types'),
  get: query('type'),
  declare: mutation('declareTypes'),
  update: mutation('updateType'),
  pause: mutation('pauseType'),
  resume: mutation('resumeType'),
}

/** Limits, rate and order per key. */
export const groupProcedures = {
  list: query('groups'),
  keys: query('groupKeys'),
  key: query('groupKey'),
  update: mutation('updateGroup'),
}

export const workerProcedures = {
  list: query('workers'),
  drain: mutation('drainWorker'),
}

/** Settings of the whole queue. */
export const settingsProcedures = {
  get: query('settings'),
  update: mutation('updateSettings'),
  pause: mutation('pause'),
  resume: mutation('resume'),
}

export const failureProcedures = { groups: query('failureGroups') }

/** One action on all jobs that match a filter, with progress and undo. */
export const bulkProcedures = {
  count: query('countBulk'),
  status: query('bulk'),
  start: mutation('startBulk'),
  cancel: mutation('cancelBulk'),
  undo: mutation('undoBulk'),
}

/** Recurring jobs. */
export const scheduleProcedures = {
  list: query('schedules'),
  get: query('schedule'),
  preview: query('previewSchedule'),
  explain: query('explainSchedule'),
  create: mutation('createSchedule'),
  update: mutation('updateSchedule'),
  pause: mutation('pauseSchedule'),
  resume: mutation('resumeSchedule'),
  run: mutation('runSchedule'),
  delete: mutation('deleteSchedule'),
  backfill: mutation('backfillSchedule'),
  declare: mutation('declareSchedules'),
}

export const auditProcedures = { list: query('auditTrail') }

/** Only `create` returns the secret of a token. */
export const tokenProcedures = {
  list: query('tokens'),
  create: mutation('createToken'),
  revoke: mutation('revokeToken'),
}
