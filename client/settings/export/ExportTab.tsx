/** Writes the jobs of a filter to a file. */
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { formatNumber } from '../../format/number.ts'
import { Panel } from '../../page/Panel.tsx'
import { Button } from '../../ui/Button.tsx'
import { useRedactionRules } from '../redaction.ts'
import type { Format } from './csv.ts'
import { ExportFilter } from './ExportFilter.tsx'
import { exportFilter } from './export-filter.ts'
import { type ExportState, useExport } from './use-export.ts'

export function ExportTab() {
  const [params] = useSearchParams()
  const rules = useRedactionRules()
  const [isRedacted, setIsRedacted] = useState(true)
  const { state, start, stop } = useExport()
  const isRunning = state.kind === 'running'
  const go = (format: Format) => void start({ filter: exportFilter(params), format, rules: isRedacted ? rules : [] })
  return (
    <Panel title="Export">
      <p className="mb-4 max-w-prose text-muted">
        Every job that matches, newest first, with payload and result. It streams from the server to the file: straight
        to disk where this browser lets pages do that, else it is kept by the browser until it is whole.
      </p>
      <ExportFilter isDisabled={isRunning} />
      {rules.length > 0 && (
        <label className="mt-4 flex items-center gap-2">
          <input
            type="checkbox"
            checked={isRedacted}
            disabled={isRunning}
            onChange={({ target }) => setIsRedacted(target.checked)}
          />
          Apply the {rules.length === 1 ? 'redaction rule' : `${rules.length} redaction rules`} of this browser
        </label>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button weight="strong" disabled={isRunning} onClick={() => go('csv')}>
          Export CSV
        </Button>
        <Button weight="strong" disabled={isRunning} onClick={() => go('ndjson')}>
          Export NDJSON
        </Button>
        {isRunning && <Button onClick={stop}>Stop</Button>}
        <p role="status" className="text-muted">
          {wordsOf(state)}
        </p>
      </div>
      {state.kind === 'failed' && (
        <p role="alert" data-tone="failed" className="mt-3 text-tone-ink wrap-anywhere">
          {state.message}
        </p>
      )}
    </Panel>
  )
}

function wordsOf(state: ExportState): string {
  switch (state.kind) {
    case 'running':
      return `${formatNumber(state.rows)} jobs so far…`
    case 'done':
      return `Exported ${state.rows === 1 ? '1 job' : `${formatNumber(state.rows)} jobs`}.`
    case 'stopped':
      return `Stopped after ${formatNumber(state.rows)} jobs; no file was kept.`
    default:
      return ''
  }
}
