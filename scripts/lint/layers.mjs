// Layer rules: which folder may import which other folder and which packages. One table, checked by `npm run lint`.
// `node scripts/lint/layers.mjs --table` prints the table that CONTRIBUTING.md shows; `--matrix` prints the imports found.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A file belongs to the layer with the longest matching path. Its own layer is always allowed. */
export const LAYERS = JSON.parse(readFileSync(join(ROOT, 'scripts/lint/layers.json'), 'utf8'))

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s[^'"`;]*?\sfrom\s+['"]([^'"]+)['"]|(?:^|[\s(])import\(\s*['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm

export function layerOf(path) {
  let found = null
  for (const layer of LAYERS) {
    const inside = path === layer.path || path.startsWith(`${layer.path}/`)
    if (inside && (found === null || layer.path.length > found.path.length)) found = layer
  }
  return found
}

/** Every import of the repository's sources as { file, layer, target, isPackage }. */
export function findImports() {
  const tracked = ['server', 'client', 'shared', 'drizzle'].flatMap((folder) => [
    `${folder}/**/*.ts`,
    `${folder}/**/*.tsx`,
  ])
  const files = execFileSync(
    'git',
    [
      'ls-files',
      '-co',
      '--exclude-standard',
      '--',
      ...tracked,
      'server/*.ts',
      'shared/*.ts',
      'client/*.ts',
      'client/*.tsx',
    ],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
  const imports = []
  for (const file of new Set(files.split('\n').filter(Boolean))) {
    const layer = layerOf(file)
    let text
    try {
      text = readFileSync(join(ROOT, file), 'utf8')
    } catch {
      continue
    }
    for (const [, from, dynamic, bare] of text.matchAll(IMPORT)) {
      const specifier = from ?? dynamic ?? bare
      // The dashboard shows code that imports the package; styles have no layer.
      if (specifier === 'millrace' || specifier.endsWith('.css')) continue
      const isPackage = !specifier.startsWith('.')
      const target = isPackage ? packageName(specifier) : normalize(join(dirname(file), specifier))
      imports.push({ file, layer, target, isPackage })
    }
  }
  return imports
}

export function violations() {
  const broken = []
  for (const { file, layer, target, isPackage } of findImports()) {
    if (layer === null) {
      broken.push(`${file}: belongs to no layer of scripts/lint/layers.json; add the folder there.`)
    } else if (isPackage) {
      if (!layer.packages.includes(target) && !(target.startsWith('node:') && layer.packages.includes('node')))
        broken.push(`${file}: ${layer.path} may not import the package ${target}.`)
    } else {
      const other = layerOf(target)
      if (
        other === layer ? !layer.isolated || folderIn(layer, file) === folderIn(layer, target) : isAllowed(layer, other)
      )
        continue
      broken.push(`${file}: ${layer.path} may not import ${target}${other ? ` (${other.path})` : ''}.`)
    }
  }
  return [...new Set(broken)]
}

export function table() {
  const names = (list) => list.map((name) => `\`${name}\``).join(', ') || '–'
  const rows = LAYERS.map(
    ({ path, holds, imports, packages }) => `| \`${path}\` | ${holds} | ${names(imports)} | ${names(packages)} |`,
  )
  return ['| layer | what it holds | may import | packages |', '|---|---|---|---|', ...rows].join('\n')
}

function isAllowed({ imports }, other) {
  return other !== null && imports.includes(other.path)
}

/** The direct sub-folder of a layer that contains a file: features of an isolated layer do not import each other. */
function folderIn({ path }, file) {
  return file.slice(path.length + 1).split('/')[0]
}

function packageName(specifier) {
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--table')) console.log(table())
  else if (process.argv.includes('--matrix')) {
    const seen = new Map()
    for (const { layer, target, isPackage } of findImports()) {
      const name = layer?.path ?? '?'
      const to = isPackage ? `pkg ${target.startsWith('node:') ? 'node' : target}` : (layerOf(target)?.path ?? target)
      if (to !== name) seen.set(name, new Map([...(seen.get(name) ?? []), [to, (seen.get(name)?.get(to) ?? 0) + 1]]))
    }
    for (const [name, targets] of [...seen].sort())
      console.log(`${name}: ${[...targets].map(([to, n]) => `${to}×${n}`).join(', ')}`)
  } else {
    const broken = violations()
    for (const line of broken) console.error(line)
    if (broken.length > 0)
      console.error(`${broken.length} imports against the layer rules; see "Layers" in CONTRIBUTING.md.`)
    process.exitCode = broken.length > 0 ? 1 : 0
  }
}
