/** Acts on the rows that are chosen, or on everything that matches: at once, or after a question where they reach far. */
import { useRef, useState } from 'react'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { limits } from '../../../../shared/limits.ts'
import { api } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { useLive } from '../../../live/use-live.ts'
import { toasts } from '../../../ui/toasts.ts'
import { narrowed } from '../bulk/bulk.ts'
import { bulks } from '../bulk/bulks.ts'
import { type Counted, countMatches } from '../bulk/count-matches.ts'
import type { ReadFilter } from '../filter/filter.ts'
import { type Act, isPossible, whyNot } from '../list/actions.ts'

/** More than this is asked about first, whatever the act. */
const MANY = 1_000

export interface Question {
  readonly act: Act
  readonly filter: JobFilter
  /** How many jobs it is about. */
  readonly counted: Counted
  /** Everything that matches, as opposed to rows chosen by hand. */
  readonly isAll: boolean
  /** Jobs that a worker has now may be among them. */
  readonly mayRun: boolean
}

export interface Chosen {
  readonly filter: ReadFilter
  readonly isAll: boolean
  /** In view. */
  readonly rows: readonly JobSummary[]
  readonly clear: () => void
}

export function useBulkAct({ filter, isAll, rows, clear }: Chosen) {
  const { client } = api.useUtils()
  const { feed } = useLive()
  const [question, setQuestion] = useState<Question | null>(null)
  const counting = useRef<AbortController>(null)
  const matching = () => filter.at(Date.now() + feed.clockOffsetMs)

  function start({ act, filter: meant, counted }: Question): void {
    void bulks.start(client, act, meant, counted.state === 'exact' ? counted.count : null)
    clear()
  }

  function close(): void {
    counting.current?.abort()
    counting.current = null
    setQuestion(null)
  }

  function actOnRows(act: Act): void {
    const ids = rows.filter((job) => isPossible(act, job)).map(({ id }) => id)
    if (ids.length > limits.filterIds) {
      toasts.complain(`Choose at most ${formatNumber(limits.filterIds)} rows, or everything that matches.`)
      return
    }
    const named = { ids, ...(filter.type !== null && { type: filter.type }) }
    const counted: Counted = { count: ids.length, state: 'exact' }
    const meant = { act, filter: named, counted, isAll, mayRun: false }
    if (act === 'remove') setQuestion(meant)
    else start(meant)
  }

  /** Few jobs are acted on at once. The question is asked as soon as there are many, or counting them takes long. */
  async function actOnAll(act: Act): Promise<void> {
    if (counting.current) return
    const all = matching()
    const narrow = narrowed(act, all)
    if (narrow === null) return void toasts.complain(whyNot(act))
    const abort = new AbortController()
    counting.current = abort
    const mayRun = all.status?.includes('processing') ?? true
    const meant = (counted: Counted): Question => ({ act, filter: all, counted, isAll, mayRun })
    let isAsked = false
    const onPart = (counted: Counted) => {
      if (abort.signal.aborted) return
      isAsked = true
      setQuestion(meant(counted))
    }
    try {
      const counted = await countMatches(client, narrow, { signal: abort.signal, onPart })
      if (abort.signal.aborted) return
      const isFar = act === 'remove' || act === 'cancel' || counted.count > MANY
      if (counted.state === 'exact' && counted.count === 0) {
        toasts.complain(whyNot(act))
        setQuestion(null)
      } else if (isFar || isAsked || counted.state !== 'exact') setQuestion(meant(counted))
      else start(meant(counted))
    } catch (error) {
      if (abort.signal.aborted) return
      toasts.complain(error)
      setQuestion(null)
    } finally {
      if (counting.current === abort) counting.current = null
    }
  }

  return {
    question,
    start,
    close,
    matching,
    isOffered: (act: Act) => (isAll ? narrowed(act, matching()) !== null : rows.some((job) => isPossible(act, job))),
    act: (act: Act) => (isAll ? void actOnAll(act) : actOnRows(act)),
  }
}
