/** One operation of an HTTP face, as its description needs it. */
import type { z } from 'zod'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description: string
  readonly schema: z.ZodType
  /** JSON inside the address, as tRPC sends the input of queries. */
  readonly isJson?: boolean
  readonly isRequired?: boolean
}

export interface Answer {
  readonly description: string
  /** null: no body. */
  readonly schema: z.ZodType | null
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** From the server's base path on, with `{names}` of parameters. */
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly body?: { readonly schema: z.ZodType; readonly isRequired: boolean; readonly example?: unknown }
  readonly answers: Readonly<Record<string, Answer>>
}
