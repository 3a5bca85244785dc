/** The packed package in a user's project: contents, declarations and typed tRPC client. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTempFolder, type TempFolder } from '../support/temp.ts'
import { GOOD, START, WRONG, WRONG_ERRORS } from './programs.ts'
import { compile, packInto } from './stranger-project.ts'

let folder: TempFolder
let files: readonly string[]

beforeAll(async () => {
  folder = await makeTempFolder()
  files = await packInto(folder.path)
}, 90_000)

afterAll(() => folder.remove())

test('packs the build and its types, without sources, tests and benchmarks', () => {
  expect(files).toContain('dist/server/index.js')
  expect(files).toContain('dist/server/index.d.ts')
  expect(files).toContain('dist/server/main.js')
  expect(
    files.filter((path) => !path.startsWith('examples/') && /^dist\/(?:bench|test)\/|(?<!\.d)\.ts$/.test(path)),
  ).toEqual([])
})

test('packs every file that its documents link to', async () => {
  const folderOf = (path: string) => join(folder.path, 'node_modules/millrace', path)
  const dead: string[] = []
  for (const path of files.filter((name) => name.endsWith('.md'))) {
    const text = (await readFile(folderOf(path), 'utf8')).replaceAll(/```[\s\S]*?```/g, '')
    const links = [...text.matchAll(/\]\(([^)#\s]+)|(?:src|srcset)="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image ?? '',
    )
    const own = links.filter((link) => !/^[a-z]+:/.test(link))
    dead.push(
      ...own.filter((link) => !existsSync(join(dirname(folderOf(path)), link))).map((link) => `${path}: ${link}`),
    )
  }
  expect(dead).toEqual([])
})

test('declarations use only public exports of other packages', async () => {
  const declarations = files.filter((path) => path.endsWith('.d.ts'))
  const texts = await Promise.all(
    declarations.map((path) => readFile(join(folder.path, 'node_modules/millrace', path), 'utf8')),
  )
  expect(texts.filter((text) => text.includes('unstable-core'))).toEqual([])
})

test('compiles a tRPC client in a CommonJS module, with the CommonJS declarations of tRPC', async () => {
  const modules = { module: 'NodeNext', moduleResolution: 'NodeNext', skipLibCheck: true }
  expect(
    await compile(
      folder.path,
      { 'client.cts': `${START}export const stored = client.enqueue.mutate({ type: 'a', payload: 1 })` },
      modules,
    ),
  ).toEqual([])
}, 60_000)

describe.each([
  { name: 'NodeNext', module: 'NodeNext', moduleResolution: 'NodeNext' },
  { name: 'a bundler', module: 'ESNext', moduleResolution: 'bundler' },
])('with modules of $name', ({ name: _, ...modules }) => {
  test('compiles a correct program', async () => {
    expect(await compile(folder.path, { 'good.ts': GOOD }, { ...modules, skipLibCheck: true })).toEqual([])
  }, 60_000)

  test('declarations compile without skipLibCheck', async () => {
    const complaints = await compile(folder.path, { 'good.ts': GOOD }, { ...modules, skipLibCheck: false })
    // Declarations of tRPC need the types of Node and ws anyway; ours for Node servers need those of Node.
    // Declarations of Drizzle have errors under TypeScript 7.
    const own = complaints.filter(({ file }) => !/^node_modules\/(?:@trpc|drizzle-orm)\//.test(file))
    expect(own.filter(({ message }) => !message.includes("'node:http'"))).toEqual([])
  }, 60_000)

  test('reports the one error of each wrong program', async () => {
    const complaints = await compile(folder.path, WRONG, { ...modules, skipLibCheck: true })
    const errors = Object.fromEntries(
      Object.keys(WRONG).map((name) => [
        name,
        complaints.filter(({ file }) => file === name).map((one) => one.message),
      ]),
    )
    const expected = Object.entries(WRONG_ERRORS).map(([name, error]) => [name, [expect.stringMatching(error)]])
    expect(errors).toEqual(Object.fromEntries(expected))
    expect(complaints).toHaveLength(expected.length)
  }, 60_000)
})
