/** Refuses database files with hard links and on network file systems. */
import { realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Magic numbers of Linux, see statfs(2). Other platforms use other numbers. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'SMB'],
])
/** Local or remote, with or without working locks. */
const DOUBTFUL: ReadonlyMap<number, string> = new Map([
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x5346414f, 'AFS'],
])

export interface PlaceOptions {
  /** Throw for a server; otherwise only report. */
  readonly isOwner: boolean
  readonly report: (message: string) => void
}

/** The target of a symbolic link: SQLite puts the WAL beside it. */
export function realFile(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : file
}

/** To be called before SQLite opens the file: under a second name it would create a second WAL. */
export function checkFilePlace(file: string, { isOwner, report }: PlaceOptions): void {
  const links = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1
  if (links > 1) {
    refuse(
      `${file} has ${links} hard links. Programs that open it under different names write to different WAL files and destroy it. Remove the other links.`,
    )
  }
  if (process.platform !== 'linux') return
  const { network, doubtful } = kindOfFileSystem(statfsSync(dirname(file)).type)
  if (network) {
    refuse(
      `${file} is on a network file system (${network}), where the locks and the shared memory of SQLite do not work reliably. Move it to a local disk, or use PostgreSQL.`,
    )
  }
  if (doubtful) {
    report(
      `${file} is on a file system (${doubtful}) that may be remote, where the locks and the shared memory of SQLite may not work. Open the file from one machine only, or move it to a local disk.`,
    )
  }

  function refuse(message: string): void {
    if (isOwner) throw new Error(message)
    report(message)
  }
}

export function kindOfFileSystem(type: number): { readonly network?: string; readonly doubtful?: string } {
  // 32 bits, signed on some platforms.
  const magic = type >>> 0
  const network = NETWORK.get(magic)
  const doubtful = DOUBTFUL.get(magic)
  return { ...(network && { network }), ...(doubtful && { doubtful }) }
}
