/** Context of a generated form: root schema and problems by path. */
import { createContext, type ReactNode, use } from 'react'
import type { Path, Schema } from '../schema/schema.ts'

export interface Form {
  readonly root: Schema
  readonly Draw: RenderField
  /** null also for fields that have not been visited. */
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

export interface FieldProps {
  readonly path: Path
  readonly label: string
  readonly isRequired: boolean
  readonly value: unknown
  readonly depth: number
  /** undefined: the member is omitted. */
  readonly onChange: (value: unknown) => void
}

export interface DrawnProps extends FieldProps {
  readonly schema: Schema
  readonly hint: string | undefined
}

/** Renders a nested field. Passed down in the context to avoid a circular import. */
export type RenderField = (props: FieldProps & { readonly schema: Schema }) => ReactNode
