/** Vitest global setup: compiles the programs and threads that tests start, once per run. */
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'
import { makeTempFolder } from '../temp.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Entry points of processes and threads, and the modules that programs import. */
const PRODUCT = [
  'server/index.ts',
  'server/sdk/entries/client.ts',
  'server/sdk/entries/tq.ts',
  'server/main.ts',
  'server/cli/main.ts',
  'server/shell/worker-process.ts',
  'server/sdk/heartbeat-thread.ts',
  'server/store/sqlite/upkeep/backup-thread.ts',
  'server/store/sqlite/files/check-process.ts',
  'server/store/sqlite/reader-thread/reader.ts',
  'server/store/sqlite/reader-thread/reader-thread.ts',
]
const PROGRAM = /^(test\/.*-(child|program)\.(ts|mjs)|examples\/.*\.ts)$/

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeTempFolder()
  const programs = [...(await filesOf('test')), ...(await filesOf('examples'))].filter((file) => PROGRAM.test(file))
  await compile([...PRODUCT, ...programs], folder.path)
  project.provide('compiled', folder.path)
  return () => folder.remove()
}

async function filesOf(folder: string): Promise<string[]> {
  const files = await readdir(join(ROOT, folder), { recursive: true })
  return files.filter((file) => !file.includes('node_modules')).map((file) => join(folder, file))
}

/** File by file, so that relative paths stay valid; packages are not bundled. */
async function compile(entries: readonly string[], folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && !/^millrace(?:\/|$)/.test(id) && !id.startsWith(ROOT),
    resolve: {
      alias: {
        'millrace/client': join(ROOT, 'server/sdk/entries/client.ts'),
        'millrace/tq': join(ROOT, 'server/sdk/entries/tq.ts'),
        millrace: join(ROOT, 'server/index.ts'),
      },
    },
    treeshake: false,
    // A missing export of one program must not stop the tests of the others.
    shimMissingExports: true,
    logLevel: 'silent',
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.\w+$/, ''), `./${entry}`])),
  })
  await bundle.write({ dir: folder, preserveModules: true, preserveModulesRoot: ROOT, entryFileNames: '[name].js' })
  await bundle.close()
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await mkdir(join(folder, 'client'))
  await writeFile(join(folder, 'client', 'index.html'), '<!doctype html><title>Millrace</title>')
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  for (const dialect of ['drizzle/sqlite', 'drizzle/postgres']) {
    await mkdir(join(folder, dialect), { recursive: true })
    await cp(join(ROOT, dialect, 'migrations'), join(folder, dialect, 'migrations'), { recursive: true })
  }
}
