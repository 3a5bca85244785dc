/** `millrace/client` in browsers and edge runtimes: one bundle, no packages, no Node APIs. */
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { describe, expect, it, test } from 'vitest'
import { DATABASES } from '../support/places.ts'
import { describeServer } from '../support/server.ts'

const ENTRY = fileURLToPath(new URL('../../server/sdk/entries/client.ts', import.meta.url))

interface Bundle {
  readonly code: string
  readonly modules: readonly string[]
  readonly imports: readonly string[]
}

async function bundleClient(): Promise<Bundle> {
  const bundle = await rolldown({ input: ENTRY, platform: 'browser', external: /^[^./]/, logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', name: 'millrace', minify: true })
  await bundle.close()
  const [chunk] = output
  return { code: chunk.code, modules: chunk.moduleIds, imports: chunk.imports }
}

/** Globals of browsers and edge runtimes only: no process, Buffer or setImmediate; timers are numbers. */
function edgeRuntime(code: string): ReturnType<typeof createContext> {
  const timers = new Map<number, NodeJS.Timeout>()
  const context = createContext({
    ...{ fetch, AbortController, AbortSignal, Headers, Response, TextDecoder, URL, console, performance },
    setTimeout: (run: () => void, ms?: number) => {
      timers.set(timers.size + 1, setTimeout(run, ms))
      return timers.size
    },
    clearTimeout: (id: number) => clearTimeout(timers.get(id)),
  })
  runInContext(`${code}\nglobalThis.millrace = millrace`, context)
  return context
}

test('millrace/client is small and imports nothing', async () => {
  const { code, modules, imports } = await bundleClient()
  expect(imports).toEqual([])
  expect(modules.filter((id) => /node_modules|server\/(?:engine|store|api|http|worker)\//.test(id))).toEqual([])
  expect(code.length).toBeLessThan(20_000)
})

describe('millrace/client', () => {
  describeServer(
    'in an edge runtime',
    (startServer) => {
      it('millrace/client enqueues, waits for results, reads, exports and cancels', async () => {
        const { engine, url } = await startServer({ DURABILITY: 'normal' })
        const context = edgeRuntime((await bundleClient()).code)
        context.url = url
        await runInContext(
          `(async () => {
            client = millrace.createClient({ url })
            job = await client.mail.enqueue({ to: 'a' }, { priority: 3 })
            many = await client.mail.enqueueMany([1, 2])
            await client.$queue.cancel({ id: many[0].id })
            state = await client.$queue.get({ id: job.id })
          })()`,
          context,
        )
        expect(context.state).toMatchObject({ type: 'mail', payload: { to: 'a' }, priority: 3, status: 'pending' })
        const waiting: Promise<unknown> = runInContext('job.result({ timeoutMs: 30_000 })', context)
        const cancelled: Promise<unknown> = runInContext('many[0].result().catch((error) => error.name)', context)
        const [claimed] = await engine.claim({ worker: 'w', types: ['mail'] })
        await engine.complete({ id: claimed?.id ?? '', version: claimed?.version ?? 0, result: { sent: true } })
        expect(await waiting).toEqual({ sent: true })
        expect(await cancelled).toBe('JobNotCompleted')
        const exported =
          '(async () => { const all = []; for await (const { id } of client.$queue.export({})) all.push(id); return all })()'
        expect(await runInContext(exported, context)).toHaveLength(3)
        const refused =
          "(async () => { for await (const _ of client.$queue.export({ type: '' })); })().catch((e) => e.code)"
        expect(await runInContext(refused, context)).toBe('BAD_INPUT')
      })
    },
    DATABASES.slice(0, 1),
  )
})
