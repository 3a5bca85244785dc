/** Documents: programs of docs/entry-points.md compile, and links resolve. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { expect, it } from 'vitest'
import { entryPoints, ROOT } from '../reference/types.ts'
import { tempFolder } from '../support/temp.ts'

/** The first line of a program names its file. */
const PROGRAMS = /^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm

it('the programs of docs/entry-points.md compile', async () => {
  const text = readFileSync(join(ROOT, 'docs/entry-points.md'), 'utf8')
  const programs = [...text.matchAll(PROGRAMS)].map(([, name = '', program = '']) => ({ name, program }))
  expect(programs.length).toBe(text.split('```ts').length - 1)
  const folder = await tempFolder()
  mkdirSync(join(folder, 'app'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  for (const { name, program } of programs) writeFileSync(join(folder, 'app', name), program)
  expect(
    mistakesIn(
      join(folder, 'app'),
      programs.map(({ name }) => name),
    ),
  ).toEqual([])
})

function mistakesIn(folder: string, names: readonly string[]): readonly string[] {
  const paths = Object.fromEntries([...entryPoints()].map(([entry, file]) => [entry, [join(ROOT, file)]]))
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: { paths }, include: ['.'], exclude: [] }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const api = new API({ cwd: folder })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] }).getProjects()
    if (!project) throw new Error('The compiler opened no project.')
    return names.flatMap((name) => {
      const file = join(folder, name)
      const { program } = project
      if (!program.getSourceFile(file)) throw new Error(`The compiler does not know ${file}.`)
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      return found.map(({ text }) => `${name}: ${text}`)
    })
  } finally {
    api.close()
  }
}

it('links between the documents lead to existing files and headings', () => {
  const files = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  const documents = files.filter((name) => name.endsWith('.md'))
  expect(documents.flatMap((name) => deadLinksIn(name))).toEqual([])
})

function deadLinksIn(document: string): readonly string[] {
  const links = [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)]
  return links.flatMap(([link, path = '', heading]) => {
    const target = path === '' ? document : join(dirname(document), path)
    const isThere = existsSync(join(ROOT, target)) && (heading === undefined || headingsOf(target).includes(heading))
    return isThere ? [] : [`${document} ${link}`]
  })
}

/** Heading anchors as on GitHub. */
function headingsOf(document: string): readonly string[] {
  const headings = readFileSync(join(ROOT, document), 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}
