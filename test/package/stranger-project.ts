/** Project of a package user: the packed package beside a standard tRPC client. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const names = z.record(z.string(), z.string())
const manifest = z.object({ files: z.array(z.string()), dependencies: names, peerDependencies: names })
const packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })])

interface Ran {
  readonly ok: boolean
  readonly output: string
}

/** A compiler error and its file: 'good.ts', 'node_modules/millrace/…'. */
export interface Complaint {
  readonly file: string
  /** 'TS2339: Property …' */
  readonly message: string
}

/** Builds into `folder`, never into dist/ of the repository. Returns the paths of the packed files. */
export async function packInto(folder: string): Promise<readonly string[]> {
  const { files, dependencies, peerDependencies } = manifest.parse(
    JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
  )
  const source = join(folder, 'source')
  await mkdir(source)
  // Whole folders; npm packs the files listed in package.json.
  const texts = files.filter((name) => !/^!|dist/.test(name)).map((name) => name.replace(/\/[^/]*\*.*$/, ''))
  for (const name of new Set(['package.json', ...texts]))
    await cp(join(ROOT, name), join(source, name), { recursive: true })
  must(await run(process.execPath, [TSC, '-p', 'tsconfig.build.json', '--outDir', join(source, 'dist')], ROOT))
  const output = await run('npm', ['pack', '--json', '--ignore-scripts', '--offline', '--loglevel=error'], source)
  const [{ filename, files: inside }] = packed.parse(JSON.parse(must(output)))

  const installed = join(folder, 'node_modules/millrace')
  await mkdir(installed, { recursive: true })
  must(await run('tar', ['-xzf', join(source, filename), '-C', installed, '--strip-components=1'], folder))
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), '@trpc/client', 'typescript']) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), link)
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }))
  return inside.map(({ path }) => path)
}

/** Compiles programs, given by file name, in the user's project. */
export async function compile(
  folder: string,
  programs: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly Complaint[]> {
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    types: [],
    // A link stands for an installed copy: it must not resolve packages around its target.
    preserveSymlinks: true,
    ...options,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(programs) }))
  const { ok, output } = await run(process.execPath, [TSC, '-p', '.', '--pretty', 'false'], folder)
  const complaints = [...output.matchAll(/^(\S+?)\(\d+,\d+\): error (.*)$/gm)].map(([, file = '', message = '']) => ({
    file,
    message,
  }))
  if (!ok && complaints.length === 0) throw new Error(output)
  return complaints
}

function run(command: string, args: readonly string[], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error ? { ok: false, output: stdout + stderr } : { ok: true, output: stdout }),
    )
  })
}

function must({ ok, output }: Ran): string {
  if (ok) return output
  throw new Error(output)
}
