/** Worker thread that makes one backup while the server keeps running. */
import { parentPort, workerData } from 'node:worker_threads'
import { type BackedUp, type BackupParams, backup } from './backup.ts'

export type BackupResult =
  | { readonly ok: true; readonly done: BackedUp }
  | { readonly ok: false; readonly message: string; readonly isTaken: boolean }

parentPort?.postMessage(run(workerData))

function run(params: BackupParams): BackupResult {
  try {
    return { ok: true, done: backup(params) }
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    return { ok: false, message: error instanceof Error ? error.message : String(error), isTaken }
  }
}
