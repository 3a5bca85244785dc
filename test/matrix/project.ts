/** A small project outside the repository: packages from the registry, the packed tarball, and programs. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Timeout of a compiler or a program. */
const MOST_MS = 300_000

export interface Ran {
  readonly ok: boolean
  readonly output: string
  readonly ms: number
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export function run(command: string, args: readonly string[], { cwd, env, timeoutMs }: RunOptions = {}): Promise<Ran> {
  const startedAt = performance.now()
  const options = {
    maxBuffer: 2 ** 26,
    timeout: timeoutMs ?? MOST_MS,
    killSignal: 'SIGKILL' as const,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ ok: !error, output: stdout + stderr, ms: performance.now() - startedAt }),
    )
  })
}

const packed = z.tuple([z.object({ filename: z.string(), size: z.number(), unpackedSize: z.number() })])

/** Packs the build in dist/ as npm would publish it. */
export async function packTarball(folder: string) {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder]
  const { ok, output } = await run('npm', args, { cwd: ROOT })
  if (!ok) throw new Error(output)
  const [{ filename, size, unpackedSize }] = packed.parse(JSON.parse(output.slice(output.indexOf('['))))
  return { tarball: join(folder, filename), size, unpackedSize }
}

export class Project {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<Project> {
    return new Project(await mkdtemp(join(tmpdir(), 'millrace-matrix-')))
  }

  async install(packages: Readonly<Record<string, string>>, type = 'module', allowScripts = false): Promise<void> {
    await this.write({ 'package.json': JSON.stringify({ name: 'app', private: true, type, dependencies: packages }) })
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
    // Without a prebuilt binary better-sqlite3 compiles for minutes.
    const options = { cwd: this.folder, timeoutMs: 1_200_000 }
    const { ok, output } = await run('npm', allowScripts ? args : [...args, '--ignore-scripts'], options)
    if (!ok) throw new Error(output)
    if (!allowScripts) await this.takeBinary()
  }

  /** Reuses the native build of better-sqlite3 from the repository if the version is the same: saves two minutes. */
  private async takeBinary(): Promise<void> {
    const built = join(ROOT, 'node_modules/better-sqlite3')
    const here = join(this.folder, 'node_modules/better-sqlite3')
    if (!existsSync(here) || (await versionIn(here)) !== (await versionIn(built))) return
    const binary = 'build/Release/better_sqlite3.node'
    await mkdir(join(here, 'build/Release'), { recursive: true })
    await cp(join(built, binary), join(here, binary))
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true })
      await writeFile(join(this.folder, name), text)
    }
  }

  /** A program of a package in this project, `tsc`. */
  bin(name: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return run(join(this.folder, 'node_modules/.bin', name), args, { cwd: this.folder, ...options })
  }

  node(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return run(process.execPath, args, { cwd: this.folder, ...options })
  }

  async size(): Promise<{ readonly packages: number; readonly megabytes: number }> {
    const { output } = await run('npm', ['ls', '--all', '--parseable', '--loglevel=silent'], { cwd: this.folder })
    const packages = output.split('\n').filter((line) => line.includes('node_modules')).length
    return { packages, megabytes: (await bytesIn(join(this.folder, 'node_modules'))) / 2 ** 20 }
  }

  /** The median of five processes. */
  async importMs(specifier: string): Promise<number> {
    const code = `const t = performance.now(); await import('${specifier}'); console.log(performance.now() - t)`
    const times: number[] = []
    for (let i = 0; i < 5; i++) {
      const { ok, output } = await this.node(['--input-type=module', '-e', code])
      if (!ok) throw new Error(output)
      times.push(Number.parseFloat(output))
    }
    return times.sort((a, b) => a - b)[2] ?? 0
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

async function versionIn(folder: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
