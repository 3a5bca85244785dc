/** Cases of the matrix, each in a separate project. A case throws or returns a short result. */
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { COMMONJS, EMBEDDED, JEST, MISSING, PRODUCER, TRPC_TYPES, TYPES, VITEST, WORKER } from './programs.ts'
import { Project, type Ran } from './project.ts'
import { NEWEST, OLDEST, TYPESCRIPTS } from './versions.ts'

export interface Surroundings {
  /** The packed tarball, as a dependency. */
  readonly millrace: string
  readonly serverUrl: string
}

export type Case = (project: Project, surroundings: Surroundings) => Promise<string>

type Versions = typeof OLDEST | typeof NEWEST

function must({ ok, output }: Ran, expected = ''): string {
  if (ok && output.includes(expected)) return output
  throw new Error(output.slice(-2_000) || 'No output.')
}

function pick(versions: Versions, names: readonly (keyof Versions)[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, versions[name]]))
}

const producer: Case = async (project, { millrace, serverUrl }) => {
  await project.install({ millrace })
  await project.write({ 'producer.mjs': PRODUCER, 'missing.mjs': MISSING, '.env': 'STRIPE_KEY=x\nSMTP_HOST=y\n' })
  must(await project.node(['producer.mjs'], { env: { QUEUE_URL: serverUrl } }), 'enqueued')
  const output = must(await project.node(['missing.mjs']))
  for (const line of ['better-sqlite3@12 drizzle-orm', 'pg drizzle-orm', 'express @trpc/server'])
    if (!output.includes(`npm install ${line}`)) throw new Error(output)
  must(await project.bin('queuectl', ['--url', serverUrl, 'status']))
  const { packages, megabytes } = await project.size()
  const [client, main] = [await project.importMs('millrace/client'), await project.importMs('millrace')]
  return `${packages} packages, ${megabytes.toFixed(1)} MB; import of millrace/client ${client.toFixed(0)} ms, of millrace ${main.toFixed(0)} ms`
}

const bundleSizes: Case = async (project, { millrace, serverUrl }) => {
  await project.install({ millrace, esbuild: '^0.27.0', vite: '8.3.5', rolldown: '1.2.15' }, 'module', true)
  await project.write({ 'producer.mjs': PRODUCER, 'index.html': '<script type="module" src="/producer.mjs"></script>' })
  const esbuild = [
    'producer.mjs',
    '--bundle',
    '--minify',
    '--format=esm',
    '--platform=browser',
    '--outfile=esbuild.mjs',
  ]
  must(await project.bin('esbuild', esbuild))
  must(await project.node(['esbuild.mjs'], { env: { QUEUE_URL: serverUrl } }), 'enqueued')
  must(await project.bin('vite', ['build', '--logLevel', 'warn', '--outDir', 'vite', '--target', 'esnext']))
  const [built = ''] = (await import('node:fs')).readdirSync(join(project.folder, 'vite/assets'))
  const sizes = [['esbuild', 'esbuild.mjs'] as const, ['Vite', join('vite/assets', built)] as const].map(
    async ([name, file]) => {
      const text = await readFile(join(project.folder, file))
      return `${name} ${(text.length / 1_000).toFixed(1)} kB (${(gzipSync(text).length / 1_000).toFixed(1)} kB gzip)`
    },
  )
  return (await Promise.all(sizes)).join(', ')
}

function types(versions: Versions): Case {
  return async (project, { millrace }) => {
    const compilers = TYPESCRIPTS.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`])
    await project.install({
      millrace,
      ...pick(versions, ['zod', '@trpc/client', '@trpc/server']),
      ...Object.fromEntries(compilers),
    })
    const times: string[] = []
    await project.write({ 'app.ts': TYPES, 'app.cts': TYPES, 'trpc.ts': TRPC_TYPES, 'trpc.cts': TRPC_TYPES })
    for (const version of TYPESCRIPTS) {
      for (const [name, options, file] of modulesFor(version)) {
        const compilerOptions = {
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          types: [],
          target: 'ES2022',
          ...options,
        }
        await project.write({ 'tsconfig.json': JSON.stringify({ compilerOptions, files: filesFor(version, file) }) })
        const tsc = join(project.folder, `node_modules/typescript-${version}/bin/tsc`)
        const ran = await project.node([tsc, '-p', '.', '--pretty', 'false'], { timeoutMs: 120_000 })
        if (!ran.ok) throw new Error(`TypeScript ${version}, ${name}: ${ran.output.slice(0, 1_500) || 'out of time'}`)
        times.push(`${version} ${name} ${(ran.ms / 1_000).toFixed(1)} s`)
      }
    }
    return times.join(', ')
  }
}

/** The declarations of tRPC itself need TypeScript 5.7. */
function filesFor(version: string, app: string): readonly string[] {
  return Number.parseFloat(version) < 5.7 ? [app] : [app, app.replace('app', 'trpc')]
}

function modulesFor(version: string): readonly (readonly [name: string, options: object, file: string])[] {
  const lib = ['ES2023', 'DOM']
  const nodenext = { module: 'NodeNext', moduleResolution: 'NodeNext', lib }
  const bundler = { module: 'ESNext', moduleResolution: 'bundler', lib }
  const esm = [['NodeNext', nodenext, 'app.ts'] as const, ['bundler', bundler, 'app.ts'] as const]
  // TypeScript before 5.8 does not support require of ES modules.
  return Number.parseFloat(version) < 5.8 ? esm : [...esm, ['CommonJS', nodenext, 'app.cts']]
}

function running(versions: Versions, extra: Readonly<Record<string, string>> = {}): Case {
  return async (project, { millrace, serverUrl }) => {
    const names = ['zod', 'better-sqlite3', 'drizzle-orm', 'express', '@trpc/server', 'pg', 'pino'] as const
    const needsBuild = versions === OLDEST || 'node' in extra
    await project.install({ millrace, ...pick(versions, names), ...extra }, 'module', needsBuild)
    await project.write({ 'embedded.mjs': EMBEDDED, 'worker.mjs': WORKER })
    const node = (file: string) => {
      const env = { QUEUE_URL: serverUrl }
      return 'node' in extra ? project.bin('node', [file], { env }) : project.node([file], { env })
    }
    must(await node('embedded.mjs'), 'embedded ok')
    must(await node('worker.mjs'), 'worker ok')
    return Object.entries({ ...pick(versions, names), ...extra })
      .map((one) => one.join(' '))
      .join(', ')
  }
}

type Bundle = (project: Project, entry: string, out: string) => Promise<Ran>

const esbuild =
  (format: 'esm' | 'cjs'): Bundle =>
  (project, entry, out) =>
    project.bin('esbuild', [
      entry,
      '--bundle',
      '--platform=node',
      `--format=${format}`,
      `--outfile=${out}`,
      '--log-level=error',
      ...(format === 'esm'
        ? ['--banner:js=import { createRequire as r } from "node:module"; const require = r(import.meta.url);']
        : []),
    ])

const viteSsr: Bundle = async (project, entry, out) => {
  const config = `export default { build: { ssr: '${entry}', outDir: 'vite-out', emptyOutDir: true, rollupOptions: { output: { entryFileNames: '${out}' } } }, ssr: { noExternal: true, external: ['express', '@trpc/server', 'drizzle-orm', 'pg', 'pino'] }, logLevel: 'warn' }`
  await project.write({ 'vite.config.mjs': config })
  const ran = await project.bin('vite', ['build'])
  if (ran.ok) await cp(join(project.folder, 'vite-out'), project.folder, { recursive: true })
  return ran
}

const webpack: Bundle = async (project, entry, out) => {
  const config = `module.exports = { mode: 'production', target: 'node', entry: './${entry}', output: { path: __dirname, filename: '${out}' }, optimization: { minimize: false }, ignoreWarnings: [() => true] }`
  await project.write({ 'webpack.config.cjs': config })
  return project.bin('webpack', ['--config', 'webpack.config.cjs'])
}

function bundled(bundle: Bundle, extension: 'mjs' | 'cjs'): Case {
  return async (project, { millrace, serverUrl }) => {
    const names = ['zod', 'better-sqlite3', 'drizzle-orm', 'express', '@trpc/server', 'pg', 'pino'] as const
    const tools = { esbuild: '^0.27.0', vite: '8.3.5', rolldown: '1.2.15', webpack: '^5.0.0', 'webpack-cli': '^6.0.0' }
    await project.install({ millrace, ...pick(NEWEST, names), ...tools }, 'module', false)
    must(await project.node([join('node_modules/esbuild/install.js')]))
    await project.write({ 'worker.mjs': WORKER, 'embedded.mjs': EMBEDDED })
    const found: string[] = []
    for (const name of ['worker', 'embedded']) {
      const out = `${name}.out.${extension}`
      must(await bundle(project, `${name}.mjs`, out))
      const env = { QUEUE_URL: serverUrl }
      must(await project.node([out], { env }), `${name} ok`)
      const { size } = await stat(join(project.folder, out))
      found.push(`${name} ${(size / 1_000).toFixed(0)} kB`)
    }
    found.push(await alone(project, `worker.out.${extension}`, serverUrl))
    return found.join(', ')
  }
}

/** A bundled worker without node_modules: heartbeats on the main thread, and a warning. */
async function alone(project: Project, out: string, serverUrl: string): Promise<string> {
  const elsewhere = await Project.create()
  try {
    await mkdir(elsewhere.folder, { recursive: true })
    for (const name of (await import('node:fs'))
      .readdirSync(project.folder)
      .filter((one) => /\.(?:mjs|cjs|js)$/.test(one)))
      await cp(join(project.folder, name), join(elsewhere.folder, name))
    const output = must(await elsewhere.node([out], { env: { QUEUE_URL: serverUrl } }), 'worker ok')
    // webpack keeps the build-time path of the package, so its files are found on the same machine.
    return output.includes('heartbeat thread') ? 'worker alone with a warning' : 'worker alone'
  } finally {
    await elsewhere.remove()
  }
}

const commonjs: Case = async (project, { millrace }) => {
  await project.install({ millrace, ...pick(NEWEST, ['better-sqlite3', 'drizzle-orm']) }, 'commonjs')
  await project.write({ 'app.js': COMMONJS })
  return must(await project.node(['app.js']), 'function function QueueError pending').trim()
}

const vitest: Case = async (project, { millrace }) => {
  const tools = { vitest: '4.1.12', vite: '8.3.5', rolldown: '1.2.15' }
  await project.install({ millrace, ...pick(NEWEST, ['better-sqlite3', 'drizzle-orm']), ...tools })
  await project.write({ 'app.test.mjs': VITEST })
  must(await project.bin('vitest', ['run']), '1 passed')
  return 'passes'
}

const jest: Case = async (project, { millrace }) => {
  await project.install({ millrace, ...pick(NEWEST, ['better-sqlite3', 'drizzle-orm']), jest: '^30.0.0' })
  await project.write({ 'app.test.mjs': JEST, 'jest.config.mjs': "export default { testMatch: ['**/*.test.mjs'] }" })
  must(await project.bin('jest', [], { env: { NODE_OPTIONS: '--experimental-vm-modules' } }), '1 passed')
  return 'passes with --experimental-vm-modules'
}

export const CASES: Readonly<Record<string, Case>> = {
  producer,
  'bundle sizes of a producer': bundleSizes,
  'types, oldest': types(OLDEST),
  'types, newest': types(NEWEST),
  'running, newest': running(NEWEST),
  'running, oldest': running(OLDEST),
  'running, Node 22 and better-sqlite3 13': running(NEWEST, { node: '22', 'better-sqlite3': '^13.0.0' }),
  'esbuild, ES modules': bundled(esbuild('esm'), 'mjs'),
  'esbuild, CommonJS': bundled(esbuild('cjs'), 'cjs'),
  'Vite SSR': bundled(viteSsr, 'mjs'),
  webpack: bundled(webpack, 'cjs'),
  CommonJS: commonjs,
  vitest,
  Jest: jest,
}
