/** Every procedure of the API; a new one without a row fails the suite. */
import type { Row } from './row.ts'
import { OBSERVE_ROWS } from './rows-observe.ts'
import { OPERATE_ROWS } from './rows-operate.ts'
import { SCHEDULE_ROWS } from './rows-schedules.ts'
import { WORK_ROWS } from './rows-work.ts'

export const PROCEDURES: Readonly<Record<string, Row>> = {
  ...WORK_ROWS,
  ...OBSERVE_ROWS,
  ...OPERATE_ROWS,
  ...SCHEDULE_ROWS,
}
