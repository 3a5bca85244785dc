/** Procedures of producers. */
import { mutation } from './verb.ts'

export const produceProcedures = {
  enqueue: mutation('enqueue'),
  enqueueMany: mutation('enqueueMany'),
}
