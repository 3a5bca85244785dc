/** A stock client of the event stream that records what it receives. */
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client'
import { EventSource } from 'eventsource'
import { onTestFinished } from 'vitest'
import type { AppRouter, EventFrame } from '../../../server/index.ts'
import type { Line } from '../../support/proxies/cuttable.ts'

export interface Frame {
  readonly id: string
  readonly data: EventFrame
}

export function subscribe({ url }: Pick<Line, 'url'>) {
  const frames: Frame[] = []
  const states: string[] = []
  const client = createTRPCClient<AppRouter>({ links: [httpSubscriptionLink({ url: `${url}/trpc`, EventSource })] })
  const { unsubscribe } = client.events.subscribe(undefined, {
    onData: (frame) => frames.push(frame),
    onConnectionStateChange: ({ state }) => states.push(state),
  })
  onTestFinished(unsubscribe)
  const named = () => frames.flatMap(({ data }) => data.changes.map(({ id }) => id))
  return { frames, states, named, unsubscribe }
}
