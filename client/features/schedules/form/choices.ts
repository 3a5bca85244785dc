/** Labels of the overlap and catch-up policies. */
import type { CatchUp, Overlap } from '../../../../shared/schedules/schedule.ts'

export const OVERLAP_CHOICES: Readonly<Record<Overlap, string>> = {
  skip: 'skip the tick',
  queueOne: 'keep one job waiting',
  queueAll: 'wait in line',
  cancel: 'cancel the earlier job',
  allow: 'run side by side',
}

export const CATCH_UP_CHOICES: Readonly<Record<CatchUp, string>> = {
  one: 'one job for all missed ticks',
  none: 'nothing',
  all: 'one job per missed tick',
}
