/** Connection state as text and colour. The colours are those of job statuses. */
import type { Status } from '../../../shared/status.ts'
import type { Connection } from '../../live/connection/connection.ts'
import { useLive } from '../../live/use-live.ts'

const STATES: Record<Connection, { text: string; tone: Status; title?: string }> = {
  live: { text: 'Live', tone: 'completed' },
  connecting: { text: 'Connecting', tone: 'cancelled' },
  reconnecting: { text: 'Reconnecting', tone: 'pending' },
  offline: {
    text: 'Offline',
    tone: 'failed',
    title: 'There is no connection to the server. The page keeps trying to reconnect.',
  },
  signedOut: { text: 'Not signed in', tone: 'cancelled' },
  forbidden: { text: 'No access', tone: 'failed' },
  inactive: {
    text: 'Inactive',
    tone: 'cancelled',
    title: 'This tab was in the background; updates resume when it is visible.',
  },
}

export function ConnectionState() {
  const { connection, lostAt } = useLive()
  const { text, tone, title } = STATES[connection]
  return (
    <p
      role="status"
      aria-live="polite"
      data-testid="connection-state"
      data-connection={connection}
      data-tone={tone}
      title={title}
      className="flex items-center gap-2 whitespace-nowrap text-muted"
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${connection === 'live' ? 'bg-tone' : 'border-[1.5px] border-tone'}`}
      />
      <span className={connection === 'live' ? '' : 'text-ink'}>{text}</span>
      {lostAt !== null && <span className="max-sm:sr-only">data from {new Date(lostAt).toLocaleTimeString()}</span>}
    </p>
  )
}
