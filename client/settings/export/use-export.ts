/** Streams the jobs of a filter into a file, one after the other: the page never holds more than a piece of it. */
import { createTRPCClient, httpBatchStreamLink } from '@trpc/client'
import { useEffect, useRef, useState } from 'react'
import type { AppRouter } from '../../../server/api/router.ts'
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { addressOf } from '../../api.ts'
import { redact } from '../redaction.ts'
import { type ExportedJob, type Format, headOf, lineOf } from './csv.ts'
import { openSink } from './save-file.ts'

export interface ExportWish {
  readonly filter: JobFilter
  readonly format: Format
  /** Rules to apply; none: jobs are written as they are. */
  readonly rules: readonly string[]
}

export type ExportState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly rows: number }
  | { readonly kind: 'done'; readonly rows: number }
  | { readonly kind: 'stopped'; readonly rows: number }
  | { readonly kind: 'failed'; readonly message: string }

const MIME: Record<Format, string> = { csv: 'text/csv;charset=utf-8', ndjson: 'application/x-ndjson' }
const TELL_EVERY = 500

export function useExport() {
  const [state, setState] = useState<ExportState>({ kind: 'idle' })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function start({ filter, format, rules }: ExportWish): Promise<void> {
    const control = new AbortController()
    running.current = control
    let rows = 0
    const sink = await openSink(fileName(format), MIME[format])
    if (!sink) return
    setState({ kind: 'running', rows })
    try {
      await sink.write(headOf(format))
      for await (const job of await openStream(filter, control.signal)) {
        await sink.write(lineOf(format, hidden(job, rules)))
        rows += 1
        if (rows % TELL_EVERY === 0) setState({ kind: 'running', rows })
      }
      control.signal.throwIfAborted()
      await sink.close()
      setState({ kind: 'done', rows })
    } catch (error) {
      await sink.abort()
      if (control.signal.aborted) setState({ kind: 'stopped', rows })
      else setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }

  return { state, start, stop: () => running.current?.abort() }
}

/** A connection of its own: an export travels alone, and streams. */
function openStream(filter: JobFilter, signal: AbortSignal): Promise<AsyncIterable<ExportedJob>> {
  const client = createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url: addressOf('trpc'), maxItems: 1 })] })
  return client.export.query(filter, { signal })
}

function hidden(job: ExportedJob, rules: readonly string[]): ExportedJob {
  if (rules.length === 0) return job
  return { ...job, payload: redact(job.payload, 'payload', rules), result: redact(job.result, 'result', rules) }
}

function fileName(format: Format): string {
  return `jobs-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`
}
