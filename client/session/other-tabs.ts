/** Broadcasts sign-in and sign-out to the other tabs; each tab then reads the session itself. */

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(`millrace session ${document.baseURI}`) : null

/** signed-out: the user signed out, as opposed to a session that expired. */
export type SessionMessage = 'recheck' | 'signed-out'

export function notifyOtherTabs(message: SessionMessage): void {
  channel?.postMessage(message)
}

export function onOtherTabs(listener: (message: SessionMessage) => void): () => void {
  const receive = ({ data }: MessageEvent<SessionMessage>) => listener(data)
  channel?.addEventListener('message', receive)
  return () => channel?.removeEventListener('message', receive)
}
