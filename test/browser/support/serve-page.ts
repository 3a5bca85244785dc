/** Builds the dashboard and serves it from a temporary folder, for scripts that open a browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { readConfig } from '../../../server/base/config/config.ts'
import { readServerConfig } from '../../../server/base/config/server-config.ts'
import { openLog } from '../../../server/base/log.ts'
import type { Engine } from '../../../server/engine/engine.ts'
import { serve } from '../../../server/ops/serve.ts'

const CLIENT = fileURLToPath(new URL('../../../client', import.meta.url))

export interface ServedPage {
  readonly url: string
  readonly engine: Engine
  close(): Promise<void>
}

/** `prepare` may fill the database file before it is served. */
export async function servePage(prepare: (file: string) => Promise<void> = async () => {}): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-page-'))
  const env = { DB_PATH: join(folder, 'queue.db'), PORT: '0', LOG_LEVEL: 'silent' }
  const pageFolder = join(folder, 'page')
  await prepare(env.DB_PATH)
  const configFile = join(CLIENT, 'vite.config.ts')
  await build({ root: CLIENT, configFile, build: { outDir: pageFolder }, logLevel: 'error' })
  const serving = await serve({
    config: readConfig(env),
    server: readServerConfig(env),
    log: openLog('silent'),
    pageFolder,
    onFatal: (error) => {
      throw error
    },
  })
  return {
    url: `http://127.0.0.1:${serving.address.port}`,
    engine: serving.engine,
    async close() {
      await serving.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
