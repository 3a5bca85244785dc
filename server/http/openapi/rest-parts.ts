/** What the descriptions of all REST faces share. */
import { z } from 'zod'
import type { Answer, Parameter } from './operation.ts'

export const refusal = z.object({ error: z.string().describe('What is wrong, and what to do.') })

export const refused = (description: string): Answer => ({ description, schema: refusal })
export const failing = {
  '5XX': refused('Busy, full or failed; the text says which.'),
}
export const badInput = { 400: refused('The text says which field is wrong.'), ...failing }

export const inQuery = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})
export const idInPath: Parameter = { name: 'id', in: 'path', description: 'As it was given.', schema: z.uuid() }
