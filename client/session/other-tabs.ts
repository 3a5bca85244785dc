/** The other tabs of this browser hear at once that somebody came or left; each of them then looks for itself. */

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`millrace session ${document.baseURI}`) : null

export function tellOtherTabs(): void {
  channel?.postMessage('look')
}

export function hearOtherTabs(listener: () => void): () => void {
  channel?.addEventListener('message', listener)
  return () => channel?.removeEventListener('message', listener)
}
