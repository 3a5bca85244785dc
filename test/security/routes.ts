/** Lists the routes that are registered in the Express application. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EventFrames } from '../../server/api/event-frames/event-frames.ts'
import { systemClock } from '../../server/base/clock.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { openEngine } from '../../server/compose/open-engine.ts'
import { createApp } from '../../server/http/app.ts'
import { ProcessMetrics } from '../../server/http/metrics/process-metrics.ts'
import { tempFolder } from '../support/temp.ts'

interface Layer {
  readonly route?: { readonly path: string | readonly string[]; readonly methods: Readonly<Record<string, boolean>> }
  readonly handle?: { readonly stack?: readonly Layer[] }
}

/** `METHOD /path`. Does not list procedures, REST adapters and dashboard files, which are mounted as one handler each. */
export async function routesOf(): Promise<readonly string[]> {
  const engine = await openEngine({ url: 'sqlite::memory:', services: false })
  const onError = (error: unknown) => {
    throw error
  }
  const frames = new EventFrames({ events: engine.events, counts: () => engine.counts(), clock: systemClock, onError })
  const pageFolder = await tempFolder()
  writeFileSync(join(pageFolder, 'index.html'), '')
  const { express } = createApp({
    ...{ engine, frames, clock: systemClock, config: readServerConfig({}), log: openLog('silent').logger, pageFolder },
    ...{ isClosing: () => false, processMetrics: new ProcessMetrics(systemClock) },
  })
  const routes = walk((express.router as unknown as { readonly stack: readonly Layer[] }).stack)
  frames.close()
  await engine.close()
  return [...new Set(routes)]
}

function walk(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return walk(handle?.stack ?? [])
    const methods = Object.keys(route.methods).filter((method) => method !== '_all')
    return [route.path].flat().flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`))
  })
}
