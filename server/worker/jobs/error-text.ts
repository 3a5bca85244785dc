/** Text of thrown errors: messages, causes and stacks, including errors whose properties throw. */

/** Maximum number of errors read from causes and AggregateErrors. */
const MAX_ERRORS = 10
const UNREADABLE = 'an error whose message cannot be read'

interface Part {
  /** `Caused by: `, or empty for the thrown error itself. */
  readonly label: string
  readonly error: unknown
}

/** The message of an error, without causes. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return UNREADABLE
  }
}

/** The message and one line per cause and per error of an AggregateError. No stacks, because they contain file paths. */
export function reasonsOf(error: Error): string {
  return partsOf(error)
    .map((part) => `${part.label}${part.label === '' ? messageOf(error) || nameOf(error) : headOf(part.error)}`)
    .join('\n')
}

/** The stack of the error and of its causes; null: the error has no stack. */
export function stacksOf(error: Error): string | null {
  const [first, ...inner] = partsOf(error).map((part) => ({ ...part, stack: stackOf(part.error) }))
  if (!first?.stack) return null
  return [first.stack, ...inner.map(({ label, error: one, stack }) => `${label}${stack ?? headOf(one)}`)].join('\n')
}

function partsOf(thrown: Error): readonly Part[] {
  const seen = new Set<unknown>()
  const collect = (error: unknown, label: string): readonly Part[] => {
    if (seen.size >= MAX_ERRORS || seen.has(error)) return []
    seen.add(error)
    const { cause, errors } = innerOf(error)
    return [
      { label, error },
      ...errors.flatMap((inner, index) => collect(inner, `Error ${index + 1} of ${errors.length}: `)),
      ...(cause === undefined ? [] : collect(cause, 'Caused by: ')),
    ]
  }
  return collect(thrown, '')
}

function innerOf(error: unknown): { readonly cause?: unknown; readonly errors: readonly unknown[] } {
  try {
    if (!(error instanceof Error)) return { errors: [] }
    const errors = 'errors' in error && Array.isArray(error.errors) ? error.errors : []
    return { cause: error.cause, errors }
  } catch {
    return { errors: [] }
  }
}

/** Name and message, as in the first line of a stack. */
function headOf(error: unknown): string {
  const [name, message] = [nameOf(error), messageOf(error)]
  if (!(error instanceof Error)) return message
  return message === '' ? name : `${name}: ${message}`
}

function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.name) : ''
  } catch {
    return 'Error'
  }
}

function stackOf(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === 'string' && error.stack !== '' ? error.stack : null
  } catch {
    return null
  }
}
