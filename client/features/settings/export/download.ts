/** Starts an export as a browser download, which streams to disk and shows its progress. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { addressOf } from '../../../lib/api.ts'

export type Format = 'csv' | 'ndjson'

export interface ExportRequest {
  readonly filter: JobFilter
  readonly format: Format
  /** Redaction rules to apply. */
  readonly rules: readonly string[]
}

export function exportAddress({ filter, format, rules }: ExportRequest): string {
  const query = new URLSearchParams({ format, filter: JSON.stringify(filter) })
  for (const rule of rules) query.append('redact', rule)
  return addressOf(`export?${query}`)
}

export function download(request: ExportRequest): void {
  const link = document.createElement('a')
  link.href = exportAddress(request)
  link.download = ''
  link.click()
}
