/** Procedures of workers. */
import { mutation, query } from './verb.ts'

export const workProcedures = {
  claim: mutation('claim'),
  exchange: mutation('exchange'),
  heartbeat: mutation('heartbeat'),
  cancellations: query('cancellations'),
  complete: mutation('complete'),
  fail: mutation('fail'),
  release: mutation('release'),
  holders: query('holders'),
  progress: mutation('progress'),
  log: mutation('log'),
}
