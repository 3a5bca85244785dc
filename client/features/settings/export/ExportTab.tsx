/** Export tab: downloads the jobs that match a filter. The filter is part of the URL. */
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { parseFilter } from '../../../lib/filter/filter.ts'
import { useRedactionRules } from '../../../lib/redaction.ts'
import { useLive } from '../../../live/use-live.ts'
import { useCurlToken } from '../../../session/curl-token.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { Problems } from '../../../ui/filter/Problems.tsx'
import { StatusToggles } from '../../../ui/filter/StatusToggles.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { download, exportAddress, type Format } from './download.ts'

export function ExportTab() {
  const [params, setParams] = useSearchParams()
  const { feed } = useLive()
  const text = params.get('q') ?? ''
  const filter = parseFilter(text)
  const isWrong = filter.problems.length > 0
  const rules = useRedactionRules()
  const [isRedacted, setIsRedacted] = useState(true)
  const [started, setStarted] = useState<Format | null>(null)
  const setFilter = (q: string) => q !== text && setParams(q === '' ? { tab: 'export' } : { tab: 'export', q })
  const token = useCurlToken()
  const requestFor = (format: Format) => {
    const jobFilter = filter.toJobFilter(Date.now() + feed.clockOffsetMs)
    return { filter: jobFilter, format, rules: isRedacted ? rules : [] }
  }
  const start = (format: Format) => {
    download(requestFor(format))
    setStarted(format)
  }
  return (
    <Panel title="Export">
      <p className="mb-4 max-w-prose text-muted">
        Exports all matching jobs, newest first, with payload and result. The file is streamed, so its size is not
        limited. An interrupted export shows as a failed download.
      </p>
      <FilterBar text={text} hasProblems={isWrong} onApply={setFilter} />
      <StatusToggles text={text} active={filter.statuses} counts={undefined} onApply={setFilter} />
      {isWrong ? (
        <Problems problems={filter.problems} />
      ) : (
        <p className="text-muted">
          {filter.isEmpty ? 'No filter: all jobs of this queue. ' : ''}
          <Link
            href={`/jobs?${new URLSearchParams({ view: 'table', ...(text !== '' && { q: text }) })}`}
            className="underline underline-offset-2 hover:text-ink"
          >
            Preview in the table
          </Link>
        </p>
      )}
      {rules.length === 0 ? (
        <p className="mt-4 text-muted">
          Payloads and results are exported unmasked.{' '}
          <Link href="/settings?tab=redaction" className="underline underline-offset-2 hover:text-ink">
            Redaction rules
          </Link>{' '}
          also apply to exports.
        </p>
      ) : (
        <label className="mt-4 flex items-center gap-2">
          <input type="checkbox" checked={isRedacted} onChange={({ target }) => setIsRedacted(target.checked)} />
          Apply {rules.length === 1 ? 'the redaction rule' : `the ${rules.length} redaction rules`} of this browser to
          the file
        </label>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button weight="strong" disabled={isWrong} onClick={() => start('csv')}>
          Export CSV
        </Button>
        <Button weight="strong" disabled={isWrong} onClick={() => start('ndjson')}>
          Export NDJSON
        </Button>
        <p className="text-muted" role="status">
          {started !== null && `Your browser is saving the ${started === 'csv' ? 'CSV' : 'NDJSON'} file.`}
        </p>
      </div>
      {!isWrong && (
        <div className="mt-4">
          <CopyBlock
            label="Export with curl"
            code={`curl -f '${exportAddress(requestFor('csv'))}'${token} -o jobs.csv`}
          />
        </div>
      )}
    </Panel>
  )
}
