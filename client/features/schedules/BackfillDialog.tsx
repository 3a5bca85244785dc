/** Dialog that enqueues the ticks of a past range, with their number before it starts. */
import { type FormEvent, useMemo, useState } from 'react'
import { DAY } from '../../../shared/limits.ts'
import { countTicks, nextTick } from '../../../shared/schedules/rule.ts'
import type { ScheduleRow } from '../../../shared/schedules/schedule.ts'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { bulks } from '../../live/bulk/bulks.ts'
import { useNow } from '../../live/use-now.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/form/TextField.tsx'
import { toLocalInput } from './form/local-input.ts'
import { whenText } from './when.ts'

/** Counting takes about 50 µs per tick of a time zone. */
const MAX_COUNTED = 1_000

export function BackfillDialog({ row, onClose }: { row: ScheduleRow; onClose: () => void }) {
  const { client } = api.useUtils()
  const start = api.schedules.backfill.useMutation()
  const now = useNow()
  const [from, setFrom] = useState(() => toLocalInput(now - DAY))
  const [to, setTo] = useState(() => toLocalInput(now))
  const [again, setAgain] = useState(false)
  const range = { from: Date.parse(from), to: Date.parse(to) }
  const problem = problemOf(range, now)
  const found = useMemo(
    () => (Number.isNaN(range.from) || Number.isNaN(range.to) ? null : ticksIn(row, range.from, range.to)),
    [row, range.from, range.to],
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    if (problem !== undefined || !found) return
    start.mutate(
      { name: row.name, ...range, again },
      {
        onSuccess: (bulk) => {
          bulks.follow(client, bulk, found.count < MAX_COUNTED ? found.count : null)
          onClose()
        },
      },
    )
  }

  return (
    <Dialog
      title={`Backfill ${row.name}`}
      description="Enqueues a job for each tick of a past range, oldest first. Ticks that have a job already are left out."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} noValidate className="grid gap-4">
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          <TextField label="From" type="datetime-local" value={from} onText={setFrom} help={utc(range.from)} />
          <TextField
            label="To"
            type="datetime-local"
            value={to}
            onText={setTo}
            help={utc(range.to)}
            problem={problem}
          />
        </div>
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={again} onChange={({ target }) => setAgain(target.checked)} />
          Also ticks that have a job already
        </label>
        <p data-testid="backfill-count" className="min-h-5 text-muted">
          {problem === undefined && found && countText(row, found, now)}
        </p>
        {start.error && (
          <p role="alert" data-tone="failed" className="text-tone-ink wrap-anywhere">
            {start.error.message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            weight="strong"
            needs="admin"
            disabled={problem !== undefined || !found || found.count === 0 || start.isPending}
          >
            {start.isPending ? 'Starting…' : 'Backfill'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface Found {
  readonly first: number | null
  readonly count: number
}

function ticksIn({ effective }: ScheduleRow, from: number, to: number): Found {
  const first = nextTick(effective, from - 1)
  if (first === null || first > to) return { first: null, count: 0 }
  return { first, count: countTicks(effective, first, to + 1, MAX_COUNTED) }
}

function countText({ effective: { timezone } }: ScheduleRow, { first, count }: Found, now: number): string {
  if (first === null) return 'No tick in this range.'
  const what = `${count >= MAX_COUNTED ? `at least ${formatNumber(count)}` : formatNumber(count)} ${count === 1 ? 'tick' : 'ticks'}`
  return `${what}; the first ${whenText(first, timezone, now)}, ${timezone}.`
}

function problemOf({ from, to }: { from: number; to: number }, now: number): string | undefined {
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Enter both times.'
  if (to > now) return 'It must not be in the future; future ticks run by themselves.'
  return from > to ? 'It must not be before From.' : undefined
}

function utc(at: number): string {
  return Number.isNaN(at) ? 'local time' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
