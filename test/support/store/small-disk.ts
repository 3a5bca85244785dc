/** Small disks that a test can fill: a tmpfs in the mount namespace of the program under test (Linux). */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Root needs a mount namespace only; other users also need a user namespace. */
const UNSHARE = ['unshare', process.getuid?.() === 0 ? '-m' : '-Urm']

/** Mounts a tmpfs of size $1 on folder $2, then executes the rest of the command. */
const MOUNT = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"'

/** Command prefix for a program with a small disk at `folder`; the disk is removed when the program ends. */
export function onSmallDisk(folder: string, bytes: number): readonly string[] {
  return [...UNSHARE, 'sh', '-c', MOUNT, 'sh', String(bytes), folder]
}

/** Reason why this machine cannot mount small disks; null if it can. */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== 'linux') return 'a disk that can be filled needs Linux'
  const [command = '', ...args] = [...onSmallDisk('/tmp', 1_048_576), 'true']
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? null : `no tmpfs can be mounted here: ${(error?.message ?? stderr).trim()}`
}

/** Path of the folder as seen by the process with the small disk. */
export function seenBy(pid: number | undefined, folder: string): string {
  return join('/proc', String(pid), 'root', folder)
}

const NAME = 'written-by-another-program'

/** Writes until the disk is full. */
export function fillDisk(folder: string): void {
  const descriptor = openSync(join(folder, NAME), 'a')
  try {
    for (const bytes of [65_536, 4_096, 1]) {
      const chunk = Buffer.alloc(bytes, 1)
      while (wrote(descriptor, chunk));
    }
  } finally {
    closeSync(descriptor)
  }
}

export function freeDisk(folder: string): void {
  rmSync(join(folder, NAME))
}

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function wrote(descriptor: number, chunk: Buffer): boolean {
  try {
    return writeSync(descriptor, chunk) > 0
  } catch {
    return false
  }
}
