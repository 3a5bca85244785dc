/** What every part of a generated form knows: the whole schema, and what is wrong where. */
import { createContext, type ReactNode, use } from 'react'
import type { Path, Schema } from '../schema/schema.ts'

export interface Form {
  readonly root: Schema
  readonly Draw: DrawField
  /** Null also while the reader has not been there yet. */
  problemAt(path: Path): string | null
  onVisit(path: Path): void
}

export const FormContext = createContext<Form>({ root: {}, Draw: () => null, problemAt: () => null, onVisit: () => {} })

export function useForm(): Form {
  return use(FormContext)
}

export function idOf(path: Path): string {
  return `payload-${path.join('-')}`
}

/** What every kind of field is given. */
export interface FieldProps {
  readonly path: Path
  readonly label: string
  readonly isRequired: boolean
  readonly value: unknown
  readonly depth: number
  /** undefined: it is left out. */
  readonly onChange: (value: unknown) => void
}

export interface DrawnProps extends FieldProps {
  readonly schema: Schema
  readonly hint: string | undefined
}

/** Draws a part of the payload; handed down, so that fields which contain others do not import what imports them. */
export type DrawField = (props: FieldProps & { readonly schema: Schema }) => ReactNode
