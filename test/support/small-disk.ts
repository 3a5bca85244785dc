/** Disks of a few MiB that can be filled: a tmpfs in a mount namespace of the program that is started on it (Linux). */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** As root a mount namespace is enough; others need a user namespace in which they may mount. */
const UNSHARE = ['unshare', process.getuid?.() === 0 ? '-m' : '-Urm']

/** Mounts on the folder named after the size, then becomes the rest of the command. */
const MOUNT = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"'

/** The command in front of a program that finds a small disk at `folder`; the disk is gone when the program ends. */
export function onSmallDisk(folder: string, bytes: number): readonly string[] {
  return [...UNSHARE, 'sh', '-c', MOUNT, 'sh', String(bytes), folder]
}

/** Why there can be no small disks here; null where there can. */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== 'linux') return 'a disk that can be filled needs Linux'
  const [command = '', ...words] = [...onSmallDisk('/tmp', 1_048_576), 'true']
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' })
  return status === 0 ? null : `no tmpfs can be mounted here: ${(error?.message ?? stderr).trim()}`
}

/** The same folder as the process with the small disk sees it. */
export function seenBy(pid: number | undefined, folder: string): string {
  return join('/proc', String(pid), 'root', folder)
}

const NAME = 'written-by-another-program'

/** Writes until nothing fits any more. */
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
