/** Mounts the dashboard in an Express application for one test. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { describe, onTestFinished } from 'vitest'
import { openEngine } from '../../../server/compose/open-engine.ts'
import type { Engine } from '../../../server/engine/engine.ts'
import { type Dashboard, type DashboardOptions, openDashboard } from '../../../server/sdk/create-dashboard.ts'
import { DATABASES } from '../../support/places.ts'
import { tempFolder } from '../../support/temp.ts'

export interface Mounted {
  readonly engine: Engine
  readonly dashboard: Dashboard
  /** Address of the mounted dashboard. */
  readonly url: string
  /** Errors that it reported. */
  readonly errors: readonly unknown[]
}

export interface MountOptions extends DashboardOptions {
  readonly at?: string
  /** Adds middleware before the dashboard. */
  readonly prepare?: (app: Express) => void
  readonly pageFolder?: string
}

export type Mount = (options?: MountOptions) => Promise<Mounted>

/** Runs the suite once per database. */
export function describeMounted(subject: string, define: (mount: Mount) => void): void {
  for (const database of DATABASES) {
    describe(`${subject} (${database.name})`, () => {
      define(async (options = {}) => {
        const place = await database.create()
        const engine = await openEngine({ url: place.url('normal') })
        onTestFinished(() => engine.close())
        return mountOn(engine, options)
      })
    })
  }
}

export async function mountOn(engine: Engine, options: MountOptions = {}): Promise<Mounted> {
  const { at = '/ops/queue', prepare = () => {}, pageFolder = await stubPage(), ...rest } = options
  const errors: unknown[] = []
  const dashboard = openDashboard<IncomingMessage>(engine, pageFolder, {
    onError: (error) => errors.push(error),
    ...rest,
  })
  onTestFinished(() => dashboard.close())
  const app = express()
  prepare(app)
  app.use(at, dashboard)
  app.get('/shop', (_request, response) => void response.send('open'))
  return { engine, dashboard, errors, url: `${await listen(app)}${at}` }
}

export async function listen(
  handler: RequestListener,
  settings: { readonly maxHeadersCount?: number } = {},
): Promise<string> {
  const server = Object.assign(createServer(handler), settings)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function stubPage(): Promise<string> {
  const folder = await tempFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    '<base href="/" /><script nonce="__CSP_NONCE__" src="assets/a.js"></script>',
  )
  writeFileSync(join(folder, 'assets/a.js'), 'a')
  return folder
}
