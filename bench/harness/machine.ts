/** Description of the machine for the results. */
import { availableParallelism, cpus, totalmem } from 'node:os'
import Database from 'better-sqlite3'

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryGiB: number
  readonly platform: string
  readonly node: string
  readonly sqlite: string
}

export function readMachine(): Machine {
  const client = new Database(':memory:')
  const sqlite = client.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? 'unknown'
  client.close()
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    sqlite,
  }
}

export function describeMachine({ cores, cpu, memoryGiB, platform, node, sqlite }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGiB} GiB, ${platform}, Node ${node}, SQLite ${sqlite}`
}
