/** A thread that makes one copy of a queue's file: a server goes on answering meanwhile. */
import { parentPort, workerData } from 'node:worker_threads'
import { type BackedUp, type BackupParams, backup } from './backup.ts'

export type CopyAnswer =
  | { readonly ok: true; readonly done: BackedUp }
  | { readonly ok: false; readonly message: string; readonly isTaken: boolean }

parentPort?.postMessage(answer(workerData))

function answer(params: BackupParams): CopyAnswer {
  try {
    return { ok: true, done: backup(params) }
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    return { ok: false, message: error instanceof Error ? error.message : String(error), isTaken }
  }
}
