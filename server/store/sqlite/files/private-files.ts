/** Keeps the files of a queue from other users of the machine: they hold payloads, token hashes and the webhook secret. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o007
const OWNER_AND_GROUP = 0o660

/**
 * Makes an empty file that only this user may open; leaves a file that exists alone. SQLite takes an empty file for a new
 * database and gives the WAL the mode of the database. The umask of the process is not involved.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

export function createFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
}

/**
 * What a mode becomes: a file that everybody may open was left to the umask, and becomes private. One that only a group may
 * open was given to that group on purpose, and stays as it is.
 */
export function privateMode(mode: number): number {
  return mode & OTHERS ? PRIVATE_FILE : (mode & OWNER_AND_GROUP) | PRIVATE_FILE
}

/** Changes files of this user that other users may open; `report` gets one sentence for each. */
export function tighten(files: readonly string[], report: (message: string) => void): void {
  if (process.platform === 'win32') return
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.uid !== process.getuid?.() || !(stats.mode & OTHERS)) continue
    const mode = privateMode(stats.mode)
    chmodSync(file, mode)
    report(
      `Changed the mode of ${file} from ${octal(stats.mode)} to ${octal(mode)}: every user of this machine could open it. ` +
        'To share it with a group, give the group access and others none (chmod 660); that is left as it is.',
    )
  }
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8)
}
