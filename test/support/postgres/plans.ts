/** Records the plans of all statements on a database: auto_explain sends each as a notice to the client. */
import { connect, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const AUTO_EXPLAIN: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
}

export interface Plan {
  readonly statement: string
  readonly cost: number
  /** Nodes of a kind that the session has disabled; PostgreSQL 17 and older show them by their cost. */
  readonly disabled: readonly string[]
  readonly isCompiled: boolean
  /** Rows read per table, before join filters. */
  readonly read: Readonly<Record<string, number>>
}

export interface Plans {
  /** Address of the database through the recorder. Its user must be a superuser. */
  readonly url: string
  readonly seen: Plan[]
}

interface Node {
  readonly 'Node Type': string
  readonly 'Total Cost': number
  readonly Disabled?: boolean | undefined
  readonly 'Relation Name'?: string | undefined
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number | undefined
  readonly Plans?: readonly Node[] | undefined
}

const node: z.ZodType<Node> = z.object({
  'Node Type': z.string(),
  'Total Cost': z.number(),
  Disabled: z.boolean().optional(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(node).optional()
  },
})
const explained = z.object({ 'Query Text': z.string(), Plan: node, JIT: z.unknown().optional() })

/** Only a superuser may load auto_explain. */
export async function mayRecordPlans(database: string): Promise<boolean> {
  const client = new Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query<{ is_superuser: string }>('show is_superuser')
  await client.end()
  return rows[0]?.is_superuser === 'on'
}

/** Everything through `url` is recorded until the test ends. */
export async function recordPlans(database: string): Promise<Plans> {
  const target = new URL(database)
  const seen: Plan[] = []
  const sockets = new Set<Socket>()
  const recorder = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const messages = new Messages((text) => {
      const plan = planOf(text)
      if (plan) seen.push(plan)
    })
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => {
      messages.read(chunk)
      near.write(chunk)
    })
  })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    recorder.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = recorder.address()
  if (typeof address !== 'object' || address === null) throw new Error('the recorder has no port')
  target.searchParams.set(
    'options',
    Object.entries(AUTO_EXPLAIN)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  )
  const url = new URL(target)
  url.port = String(address.port)
  return { url: url.href, seen }
}

/** Finds the notices among server messages: type byte, length, body. */
class Messages {
  private rest = Buffer.alloc(0)
  private readonly onNotice: (text: string) => void

  constructor(onNotice: (text: string) => void) {
    this.onNotice = onNotice
  }

  read(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk])
    while (this.rest.length >= 5) {
      const end = 1 + this.rest.readUInt32BE(1)
      if (this.rest.length < end) return
      const message = this.rest.subarray(0, end)
      this.rest = this.rest.subarray(end)
      if (message.toString('latin1', 0, 1) !== 'N') continue
      const fields = message.toString('utf8', 5).split('\0')
      const text = fields.find((field) => field.startsWith('M'))
      if (text) this.onNotice(text.slice(1))
    }
  }
}

function planOf(notice: string): Plan | null {
  const start = notice.indexOf('plan:\n')
  if (start < 0) return null
  const plan = explained.parse(JSON.parse(notice.slice(start + 'plan:\n'.length)))
  const nodes = nodesOf(plan.Plan)
  return {
    statement: plan['Query Text'],
    cost: plan.Plan['Total Cost'],
    disabled: nodes.filter(({ Disabled }) => Disabled === true).map((found) => found['Node Type']),
    isCompiled: plan.JIT !== undefined,
    read: rowsRead(nodes),
  }
}

function rowsRead(nodes: readonly Node[]): Readonly<Record<string, number>> {
  const read: Record<string, number> = {}
  for (const node of nodes) {
    const table = node['Relation Name']
    if (!table || !node['Node Type'].includes('Scan')) continue
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    read[table] = Math.round((read[table] ?? 0) + rows)
  }
  return read
}

function nodesOf(root: Node): readonly Node[] {
  return [root, ...(root.Plans ?? []).flatMap(nodesOf)]
}
