/** Compiled programs for tests: compiled once per run, because a start from source takes a second. */
import { join } from 'node:path'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with the compiled repository; see setup.ts. */
    readonly compiled: string
  }
}

export function compiledFolder(): string {
  return inject('compiled')
}

/** Path of a compiled program, for example `server/main`. */
export function compiled(program: string): string {
  return join(compiledFolder(), `${program}.js`)
}
