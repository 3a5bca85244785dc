/** What a tab says of the queue while one looks elsewhere: words before its title, and its icon. */
import { formatNumber } from '../../lib/format-number.ts'
import type { Connection } from '../../live/connection.ts'

export type Icon = 'favicon' | 'favicon-paused' | 'favicon-failed' | 'favicon-offline'

export interface TabState {
  readonly words: readonly string[]
  readonly icon: Icon
}

export interface Known {
  readonly connection: Connection
  readonly isPaused: boolean
  /** Jobs that have failed lately. */
  readonly failed: number
}

export function tabState({ connection, isPaused, failed }: Known): TabState {
  // Of a queue that does not answer nothing else is known.
  if (connection === 'offline') return { words: ['Offline'], icon: 'favicon-offline' }
  if (connection === 'refused' || connection === 'shut' || connection === 'resting')
    return { words: [], icon: 'favicon' }
  const words = [...(failed > 0 ? [`${formatNumber(failed)} just failed`] : []), ...(isPaused ? ['Paused'] : [])]
  return { words, icon: failed > 0 ? 'favicon-failed' : isPaused ? 'favicon-paused' : 'favicon' }
}
