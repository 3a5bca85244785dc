/** Writes the jobs of a filter to a file: the same words as on the page of jobs, kept in the URL like there. */
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useLive } from '../../../live/use-live.ts'
import { useCurlToken } from '../../../session/curl-token.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { readFilter } from '../../jobs/filter/filter.ts'
import { FilterBar } from '../../jobs/table/FilterBar.tsx'
import { Problems } from '../../jobs/table/Problems.tsx'
import { StatusToggles } from '../../jobs/table/StatusToggles.tsx'
import { useRedactionRules } from '../redaction.ts'
import { download, exportAddress, type Format } from './download.ts'

export function ExportTab() {
  const [params, setParams] = useSearchParams()
  const { feed } = useLive()
  const text = params.get('q') ?? ''
  const filter = readFilter(text)
  const isWrong = filter.problems.length > 0
  const rules = useRedactionRules()
  const [isRedacted, setIsRedacted] = useState(true)
  const [begun, setBegun] = useState<Format | null>(null)
  const ask = (q: string) => q !== text && setParams(q === '' ? { tab: 'export' } : { tab: 'export', q })
  const token = useCurlToken()
  const wish = (format: Format) => {
    const asked = filter.at(Date.now() + feed.clockOffsetMs)
    return { filter: asked, format, rules: isRedacted ? rules : [] }
  }
  const go = (format: Format) => {
    download(wish(format))
    setBegun(format)
  }
  return (
    <Panel title="Export">
      <p className="mb-4 max-w-prose text-muted">
        Every job that matches, newest first, with payload and result. Your browser saves it while it comes, however
        much it is, and can stop it; what breaks off is told as a failed download.
      </p>
      <FilterBar text={text} hasProblems={isWrong} onAsk={ask} />
      <StatusToggles text={text} asked={filter.statuses} counts={undefined} onAsk={ask} />
      {isWrong ? (
        <Problems problems={filter.problems} />
      ) : (
        <p className="text-muted">
          {filter.isEmpty ? 'No filter: every job of this queue. ' : ''}
          <Link
            href={`/jobs?${new URLSearchParams({ view: 'table', ...(text !== '' && { q: text }) })}`}
            className="underline underline-offset-2 hover:text-ink"
          >
            Look at them first
          </Link>
        </p>
      )}
      {rules.length === 0 ? (
        <p className="mt-4 text-muted">
          Payloads and results are written as they are.{' '}
          <Link href="/settings?tab=redaction" className="underline underline-offset-2 hover:text-ink">
            Rules of redaction
          </Link>{' '}
          would hide values in the file too.
        </p>
      ) : (
        <label className="mt-4 flex items-center gap-2">
          <input type="checkbox" checked={isRedacted} onChange={({ target }) => setIsRedacted(target.checked)} />
          Hide in the file what the {rules.length === 1 ? 'redaction rule' : `${rules.length} redaction rules`} of this
          browser {rules.length === 1 ? 'hides' : 'hide'} on the page
        </label>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <Button weight="strong" disabled={isWrong} onClick={() => go('csv')}>
          Export CSV
        </Button>
        <Button weight="strong" disabled={isWrong} onClick={() => go('ndjson')}>
          Export NDJSON
        </Button>
        <p className="text-muted" role="status">
          {begun !== null && `Your browser is saving the ${begun === 'csv' ? 'CSV' : 'NDJSON'} file.`}
        </p>
      </div>
      {!isWrong && (
        <div className="mt-4">
          <CopyBlock
            label="The same from a shell"
            code={`curl -f '${exportAddress(wish('csv'))}'${token} -o jobs.csv`}
          />
        </div>
      )}
    </Panel>
  )
}
