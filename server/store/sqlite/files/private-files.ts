/** File modes: queue files are private, because they hold payloads, token hashes and the webhook secret. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o007
const OWNER_AND_GROUP = 0o660

/**
 * Creates an empty file that only this user may open; does not change an existing file. SQLite treats an empty file as a new
 * database and gives the WAL the mode of the database. The umask is not involved.
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
 * The new mode of a file. A file that all users may open got its mode from the umask and becomes private. A file that only a
 * group may open was shared on purpose and keeps its mode.
 */
export function privateMode(mode: number): number {
  return mode & OTHERS ? PRIVATE_FILE : (mode & OWNER_AND_GROUP) | PRIVATE_FILE
}

/** Makes files of this user private that other users may open; `report` gets one message per file. */
export function tighten(files: readonly string[], report: (message: string) => void): void {
  if (process.platform === 'win32') return
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.uid !== process.getuid?.() || !(stats.mode & OTHERS)) continue
    const mode = privateMode(stats.mode)
    chmodSync(file, mode)
    report(
      `Changed the mode of ${file} from ${octal(stats.mode)} to ${octal(mode)}, because every user of this machine could open it. ` +
        'To share it with a group, use chmod 660; that mode is kept.',
    )
  }
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8)
}
