/** Asks the browser to save an export: it streams to its disk by itself, and shows how far it is. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { addressOf } from '../../../lib/api.ts'

export type Format = 'csv' | 'ndjson'

export interface ExportWish {
  readonly filter: JobFilter
  readonly format: Format
  /** Rules of redaction to apply; none: jobs are written as they are. */
  readonly rules: readonly string[]
}

export function exportAddress({ filter, format, rules }: ExportWish): string {
  const question = new URLSearchParams({ format, filter: JSON.stringify(filter) })
  for (const rule of rules) question.append('redact', rule)
  return addressOf(`export?${question}`)
}

export function download(wish: ExportWish): void {
  const link = document.createElement('a')
  link.href = exportAddress(wish)
  link.download = ''
  link.click()
}
