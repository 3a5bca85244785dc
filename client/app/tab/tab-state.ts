/** Queue state in the browser tab: labels before the title, and the icon. */
import { formatNumber } from '../../lib/format-number.ts'
import type { Connection } from '../../live/connection/connection.ts'

export type Icon = 'favicon' | 'favicon-paused' | 'favicon-failed' | 'favicon-offline'

export interface TabState {
  readonly labels: readonly string[]
  readonly icon: Icon
}

export interface TabInput {
  readonly connection: Connection
  readonly isPaused: boolean
  /** Jobs that failed recently. */
  readonly failed: number
}

export function tabState({ connection, isPaused, failed }: TabInput): TabState {
  // While offline, the other values are out of date.
  if (connection === 'offline') return { labels: ['Offline'], icon: 'favicon-offline' }
  if (connection === 'signedOut' || connection === 'forbidden' || connection === 'inactive')
    return { labels: [], icon: 'favicon' }
  const labels = [...(failed > 0 ? [`${formatNumber(failed)} just failed`] : []), ...(isPaused ? ['Paused'] : [])]
  return { labels, icon: failed > 0 ? 'favicon-failed' : isPaused ? 'favicon-paused' : 'favicon' }
}
