/** Procedures of operators on jobs. */
import { mutation } from './verb.ts'

export const operateProcedures = {
  retry: mutation('retry'),
  runNow: mutation('runNow'),
  cancel: mutation('cancel'),
  remove: mutation('remove'),
  cleanup: mutation('cleanup'),
}
