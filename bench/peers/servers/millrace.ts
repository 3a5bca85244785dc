/** The compiled server of Millrace and the raw network limit, each in a child process on a SQLite file. */
import { join } from 'node:path'
import { SERVER, startChild } from '../../harness/server-child.ts'
import type { Place, Started } from './started.ts'

const RAW_SERVER = new URL('../limits/raw-server.js', import.meta.url)

export async function startMillrace({ folder }: Place): Promise<Started> {
  const { url, pid, stop } = await startChild(SERVER, folder, { PORT: '0', DB_PATH: join(folder, 'queue.db') })
  return { address: url.replace(/\/trpc$/, ''), server: 'npm start', process: pid ?? 'unknown', stop }
}

export async function startRawServer({ folder }: Place): Promise<Started> {
  const { url, pid, stop } = await startChild(RAW_SERVER, folder, { RAW_DB: join(folder, 'raw.db') })
  return { address: url, server: 'node:http', process: pid ?? 'unknown', stop }
}
