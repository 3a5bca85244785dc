/** Types of the operations in the OpenAPI document, and parts that the REST adapters share. */
import { z } from 'zod'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description: string
  readonly schema: z.ZodType
  /** JSON inside the query, as tRPC sends the input of queries. */
  readonly isJson?: boolean
  readonly isRequired?: boolean
}

export interface OperationResponse {
  readonly description: string
  /** null: no body. */
  readonly schema: z.ZodType | null
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Relative to the server's base path, with parameters as `{name}`. */
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly body?: { readonly schema: z.ZodType; readonly isRequired: boolean; readonly example?: unknown }
  readonly responses: Readonly<Record<string, OperationResponse>>
}

/** Error body of the REST adapters. */
export const restError = z.object({ error: z.string().describe('What is wrong, and what to do.') })

export const errorResponse = (description: string): OperationResponse => ({ description, schema: restError })
export const serverErrors = {
  '5XX': errorResponse('Busy, full or failed; the text names the reason.'),
}
export const inputErrors = { 400: errorResponse('The text names the invalid field.'), ...serverErrors }

export const inQuery = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})
export const idInPath: Parameter = { name: 'id', in: 'path', description: 'The id of the job.', schema: z.uuid() }
