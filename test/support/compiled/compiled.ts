/** Programs as tests start them: compiled once per run, because from source each would take a second to begin. */
import { join } from 'node:path'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder like that of the repository, in JavaScript; see compiled-setup.ts. */
    readonly compiled: string
  }
}

export function compiledFolder(): string {
  return inject('compiled')
}

/** `server/main` → the file to run. */
export function compiled(program: string): string {
  return join(compiledFolder(), `${program}.js`)
}
