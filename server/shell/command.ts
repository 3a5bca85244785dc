/** Payload schema of jobs of kind `command`. */
import { z } from 'zod'
import { UnrecoverableError } from '../worker/jobs/handler-errors.ts'

export interface ShellCommand {
  /** The program and its arguments; null: a shell runs `line`. */
  readonly argv: readonly string[] | null
  readonly line: string
  /** Working directory; null: that of the worker. */
  readonly cwd: string | null
  readonly env: Readonly<Record<string, string>>
}

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL')
const nonEmpty = text.min(1, 'must not be empty')
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

const common = {
  cwd: nonEmpty.optional(),
  env: z.record(z.string().regex(NAME, 'is not a valid name of an environment variable'), text).default({}),
}
const line = z.strictObject({ command: nonEmpty, ...common })
const program = nonEmpty.refine((value) => !value.startsWith('-'), 'must not begin with -')
const argv = z.strictObject({ argv: z.tuple([program], text), ...common })

const FORMS = '{ command: "…" } or { argv: ["program", "argument"] }, optionally with cwd and env'

/** An invalid payload fails the job without a retry. */
export function readCommand(payload: unknown): ShellCommand {
  const isArgv = typeof payload === 'object' && payload !== null && 'argv' in payload
  const parsed = isArgv ? argv.safeParse(payload) : line.safeParse(payload)
  if (!parsed.success) {
    const reasons = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '))
    throw new UnrecoverableError(`The payload is not a command (${reasons.join('; ')}); it must be ${FORMS}.`)
  }
  const { cwd = null, env } = parsed.data
  return 'argv' in parsed.data
    ? { argv: parsed.data.argv, line: '', cwd, env }
    : { argv: null, line: parsed.data.command, cwd, env }
}
