/** Puts what matters into the tab's title. */
import { useEffect } from 'react'
import type { StatusCounts } from '../../shared/status.ts'
import { formatNumber } from '../format/number.ts'
import { useLive } from '../live/use-live.ts'

export function useTitle(counts: StatusCounts | undefined): void {
  const { connection } = useLive()
  const failed = counts?.failed ?? 0
  useEffect(() => {
    const words = connection === 'offline' ? ['Offline'] : failed > 0 ? [`${formatNumber(failed)} failed`] : []
    document.title = [...words, 'Millrace'].join(' · ')
    return () => {
      document.title = 'Millrace'
    }
  }, [connection, failed])
}
