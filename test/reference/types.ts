/** Reads the package's public types with the compiler: names, types and TSDoc, as an editor shows them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SyntaxKind } from 'typescript/unstable/ast'
import {
  API,
  NodeBuilderFlags,
  SignatureKind,
  SymbolFlags,
  type Symbol as TsSymbol,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync'
import { z } from 'zod'

const INFERRED = [SyntaxKind.PropertyAssignment, SyntaxKind.ShorthandPropertyAssignment]

const PRIMITIVE =
  TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike | TypeFlags.Null | TypeFlags.Undefined

function isPrimitive({ flags }: Type): boolean {
  return (flags & PRIMITIVE) !== 0
}

/** Source order, file by file: the compiler does not keep the order of members. */
function byPlace(one: TsSymbol, other: TsSymbol): number {
  const [first, second] = [one.declarations[0], other.declarations[0]]
  if (!first || !second || first.path === second.path) return (first?.index ?? 0) - (second?.index ?? 0)
  return first.path < second.path ? -1 : 1
}

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Member {
  readonly name: string
  readonly doc: string
  readonly type: string
  readonly isOptional: boolean
  /** Declared as a type: declaration files keep no comments for types inferred from values. */
  readonly isWritten: boolean
  /** The fields of an event. */
  readonly fields: readonly string[]
  /** The parameter names of a method, with `?` after optional ones. */
  readonly parameters: readonly string[] | null
}

export interface Exported {
  readonly name: string
  readonly doc: string
  readonly kind: 'function' | 'type' | 'value'
  /** Members of an interface, class or object type; empty for types of other packages. */
  readonly members: readonly Member[]
}

const manifest = z.object({ exports: z.record(z.string(), z.object({ types: z.string() }).or(z.string())) })

/** The files behind `exports` of package.json: `millrace/simple` → `server/sdk/simple/simple-queue.ts`. */
export function entryPoints(): ReadonlyMap<string, string> {
  const { exports } = manifest.parse(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')))
  return new Map(
    Object.entries(exports).flatMap(([path, target]) => {
      const file = typeof target === 'string' ? target : target.types
      if (!file.endsWith('.d.ts')) return []
      return [[path.replace(/^\./, 'millrace'), file.replace('./dist/', '').replace(/\.d\.ts$/, '.ts')]]
    }),
  )
}

/** Starts the compiler once and calls `read`; the compiler process ends afterwards. */
export function withTypes<Answer>(read: (exportsOf: (file: string) => readonly Exported[]) => Answer): Answer {
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${ROOT}test/reference/tsconfig.json`] }).getProjects()
    if (!project) throw new Error('The compiler opened no project.')
    const { checker, program } = project

    function memberOf(symbol: TsSymbol, isEvent: boolean): Member {
      const type = checker.getTypeOfSymbol(symbol)
      const isOptional = (symbol.flags & SymbolFlags.Optional) !== 0
      const text = type ? checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation) : ''
      return {
        name: symbol.name,
        doc: checker.getDocumentationCommentOfSymbol(symbol).replace(/\s+/g, ' ').trim(),
        type: isOptional ? text.replace(/ \| undefined$/, '') : text,
        isOptional,
        isWritten: symbol.declarations.every(({ kind }) => !INFERRED.includes(kind)),
        fields: type && isEvent ? [...checker.getPropertiesOfType(type)].sort(byPlace).map(({ name }) => name) : [],
        parameters: type ? parametersOf(type) : null,
      }
    }

    function parametersOf(type: Type): readonly string[] | null {
      const [signature] = checker.getSignaturesOfType(type, SignatureKind.Call)
      if (!signature) return null
      return signature.getParameters().flatMap((parameter) => {
        // A tuple, because an optional payload may be omitted.
        if (signature.hasRestParameter && parameter.name === 'job') return ['payload', 'options?']
        const given = checker.getTypeOfSymbol(parameter)
        const mayBeLeftOut = given && checker.typeToString(given).endsWith('| undefined')
        const name = parameter.name.startsWith('__') ? 'input' : parameter.name
        return mayBeLeftOut ? `${name}?` : name
      })
    }

    /** Members of any part of a union. */
    function propertiesOf(type: Type): readonly TsSymbol[] {
      if (!type.isUnionType()) return checker.getPropertiesOfType(type)
      const all = type.getTypes().flatMap((one) => (isPrimitive(one) ? [] : checker.getPropertiesOfType(one)))
      const byName = new Map(all.map((one) => [one.name, one]))
      // A common member has the comments of all parts and the union of their types.
      for (const common of checker.getPropertiesOfType(type)) byName.set(common.name, common)
      return [...byName.values()]
    }

    /** The declaration without its comment. */
    function textOf(member: TsSymbol): string {
      const node = member.declarations[0]?.resolve()
      return node ? node.getText() : ''
    }

    function exportedOf(exported: TsSymbol): Exported {
      const isAlias = (exported.flags & SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const isType = (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class | SymbolFlags.TypeAlias)) !== 0
      const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
      const isOwn = (member: TsSymbol) =>
        !String(member.declarations[0]?.path ?? 'node_modules').includes('node_modules')
      const isClass = (symbol.flags & SymbolFlags.Class) !== 0
      const isPublic = (member: TsSymbol) => !isClass || !/^\s*private /.test(textOf(member))
      const isFunction = (symbol.flags & SymbolFlags.Function) !== 0
      const members = type && !isFunction ? [...propertiesOf(type)].filter(isOwn).filter(isPublic) : []
      return {
        name: exported.name,
        doc: checker.getDocumentationCommentOfSymbol(symbol).replace(/\s+/g, ' ').trim(),
        kind: isType ? 'type' : isFunction ? 'function' : 'value',
        members: members.sort(byPlace).map((member) => memberOf(member, exported.name.endsWith('EventMap'))),
      }
    }

    return read((file) => {
      const source = program.getSourceFile(`${ROOT}${file}`)
      const module = source && checker.getSymbolAtLocation(source)
      if (!module) throw new Error(`The compiler knows no module ${file}.`)
      return checker.getExportsOfModule(module).map(exportedOf)
    })
  } finally {
    api.close()
  }
}
