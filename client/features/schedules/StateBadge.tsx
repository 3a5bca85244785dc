/** Badge for every state but active. */
import type { ScheduleRow } from '../../../shared/schedules/schedule.ts'
import { Badge } from '../../ui/Badge.tsx'
import { STATE_TONES, stateTitle } from './schedule-state.ts'

export function StateBadge({ row }: { row: ScheduleRow }) {
  if (row.state === 'active') return null
  return (
    <Badge tone={STATE_TONES[row.state]} title={stateTitle(row)}>
      {row.state}
    </Badge>
  )
}
