/** The other tabs of this browser hear at once that somebody came or left; each of them then looks for itself. */

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`millrace session ${document.baseURI}`) : null

/** left: somebody signed out, as opposed to a session that ran out. */
export type Told = 'look' | 'left'

export function tellOtherTabs(told: Told): void {
  channel?.postMessage(told)
}

export function hearOtherTabs(listener: (told: Told) => void): () => void {
  const hear = ({ data }: MessageEvent<Told>) => listener(data)
  channel?.addEventListener('message', hear)
  return () => channel?.removeEventListener('message', hear)
}
