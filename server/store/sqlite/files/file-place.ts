/** Where a database file must not be: under two names, or on a file system whose locks do not hold between machines. */
import { realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Magic numbers of Linux (statfs(2)); elsewhere they mean other things. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
])
/** May be local or remote, with locks that work or not. */
const DOUBTFUL: ReadonlyMap<number, string> = new Map([
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
])

export interface Placed {
  /** Only a server is kept away; for others it is said. */
  readonly isOwner: boolean
  readonly report: (message: string) => void
}

/** The file that a symbolic link leads to; SQLite puts the WAL beside that one. */
export function realFile(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file
}

/** Before SQLite opens the file: with a second name it would already make a second WAL. */
export function examinePlace(file: string, { isOwner, report }: Placed): void {
  const links = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1
  if (links > 1) {
    const danger = `${file} is one of ${links} names (hard links) of the same file. Programs that open it by different names write to different logs and destroy it.`
    object(`${danger} Remove the other names.`)
  }
  if (process.platform !== 'linux') return
  const { network, doubtful } = kindOfFileSystem(statfsSync(dirname(file)).type)
  if (network) {
    object(
      `${file} is on a network file system (${network}), where the locks and the shared memory of SQLite do not work reliably. Move it to a local disk, or use PostgreSQL.`,
    )
  }
  if (doubtful) {
    report(
      `${file} is on a file system (${doubtful}) that may be remote. SQLite needs locks and shared memory that work there: let programs of one machine alone use the file, or move it to a local disk.`,
    )
  }

  function object(message: string): void {
    if (isOwner) throw new Error(message)
    report(message)
  }
}

export function kindOfFileSystem(type: number): { readonly network?: string; readonly doubtful?: string } {
  // A number of 32 bits, which comes with its sign on some platforms.
  const magic = type >>> 0
  const network = NETWORK.get(magic)
  const doubtful = DOUBTFUL.get(magic)
  return { ...(network && { network }), ...(doubtful && { doubtful }) }
}
