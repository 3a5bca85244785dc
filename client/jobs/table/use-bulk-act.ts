/** Acts on the rows that are chosen, or on everything that matches: at once, or after a question where they reach far. */
import { useRef, useState } from 'react'
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { limits } from '../../../shared/limits.ts'
import { api } from '../../api.ts'
import { formatNumber } from '../../format/number.ts'
import { useLive } from '../../live/use-live.ts'
import { toasts } from '../../ui/toasts.ts'
import { countOf, narrowed } from '../bulk/bulk.ts'
import { bulks } from '../bulk/bulks.ts'
import type { ReadFilter } from '../filter/filter.ts'
import { type Act, isPossible, whyNot } from '../list/acts.ts'

/** More than this is asked about first, whatever the act. */
const MANY = 1_000

export interface Question {
  readonly act: Act
  readonly filter: JobFilter
  /** null: not known. */
  readonly count: number | null
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
  const isCounting = useRef(false)
  const matching = () => filter.at(Date.now() + feed.clockOffsetMs)

  function start({ act, filter: meant, count }: Question): void {
    void bulks.start(client, act, meant, count)
    clear()
  }

  function actOnRows(act: Act): void {
    const ids = rows.filter((job) => isPossible(act, job)).map(({ id }) => id)
    if (ids.length > limits.filterIds) {
      toasts.complain(`Choose at most ${formatNumber(limits.filterIds)} rows, or everything that matches.`)
      return
    }
    const named = { ids, ...(filter.type !== null && { type: filter.type }) }
    const meant = { act, filter: named, count: ids.length, isAll, mayRun: false }
    if (act === 'remove') setQuestion(meant)
    else start(meant)
  }

  async function actOnAll(act: Act): Promise<void> {
    if (isCounting.current) return
    isCounting.current = true
    try {
      const all = matching()
      const count = await countOf(client, act, all)
      const meant = { act, filter: all, count, isAll, mayRun: all.status?.includes('processing') ?? true }
      const isFar = act === 'remove' || act === 'cancel' || count === null || count > MANY
      if (count === 0) toasts.complain(whyNot(act))
      else if (isFar) setQuestion(meant)
      else start(meant)
    } catch (error) {
      toasts.complain(error)
    } finally {
      isCounting.current = false
    }
  }

  return {
    question,
    start,
    close: () => setQuestion(null),
    isOffered: (act: Act) => (isAll ? narrowed(act, matching()) !== null : rows.some((job) => isPossible(act, job))),
    act: (act: Act) => (isAll ? void actOnAll(act) : actOnRows(act)),
  }
}
