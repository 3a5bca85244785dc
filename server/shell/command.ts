/** What a job of kind `command` asks for: read from its payload, or refused in words that say what would do. */
import { z } from 'zod'
import { FailForGood } from '../worker/jobs/handler-errors.ts'

export interface ShellCommand {
  /** The program and its arguments; null: `line` is for a shell to read. */
  readonly argv: readonly string[] | null
  readonly line: string
  /** Where it runs; null: where the worker was started. */
  readonly cwd: string | null
  readonly env: Readonly<Record<string, string>>
}

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL')
const filled = text.min(1, 'must not be empty')
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

const common = {
  cwd: filled.optional(),
  env: z.record(z.string().regex(NAME, 'is no name for an environment variable'), text).default({}),
}
const line = z.strictObject({ command: filled, ...common })
const program = filled.refine((value) => !value.startsWith('-'), 'must not begin with -')
const argv = z.strictObject({ argv: z.tuple([program], text), ...common })

const FORMS = '{ command: "…" } or { argv: ["program", "argument"] }, with cwd and env if you like'

/** What does not fit will not fit next time either. */
export function readCommand(payload: unknown): ShellCommand {
  const isArgv = typeof payload === 'object' && payload !== null && 'argv' in payload
  const parsed = isArgv ? argv.safeParse(payload) : line.safeParse(payload)
  if (!parsed.success) {
    const reasons = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '))
    throw new FailForGood(`The payload is no command (${reasons.join('; ')}); it must be ${FORMS}.`)
  }
  const { cwd = null, env } = parsed.data
  return 'argv' in parsed.data
    ? { argv: parsed.data.argv, line: '', cwd, env }
    : { argv: null, line: parsed.data.command, cwd, env }
}
