/** Frame: one message of the event stream, with changed jobs and current counts. */
import type { api } from '../lib/api.ts'

type Options = Parameters<typeof api.events.useSubscription>[1]
type Pushed = Parameters<NonNullable<NonNullable<Options>['onData']>>[0]

export type Frame = Pushed['data']
