/** Connection state over time, with the moment from which the page may be out of date. */
import { useEffect, useState } from 'react'
import { type Connection, type ConnectionInput, connectionOf } from './connection.ts'

const LONG_DOWN_MS = 10_000

export interface ConnectionStatus {
  readonly connection: Connection
  /** When the stream broke; null while it is open or before it first was. */
  readonly lostAt: number | null
}

export function useConnection({
  isOpen,
  authState,
  isInactive,
}: Pick<ConnectionInput, 'isOpen' | 'authState' | 'isInactive'>): ConnectionStatus {
  const [wasOpen, setWasOpen] = useState(false)
  const [lostAt, setLostAt] = useState<number | null>(null)
  const [isLongDown, setIsLongDown] = useState(false)
  const [hasNetwork, setHasNetwork] = useState(navigator.onLine)

  useEffect(() => {
    if (isOpen) {
      setWasOpen(true)
      setLostAt(null)
      setIsLongDown(false)
      return () => setLostAt(Date.now())
    }
    if (isInactive) return
    const timer = setTimeout(() => setIsLongDown(true), LONG_DOWN_MS)
    return () => clearTimeout(timer)
  }, [isOpen, isInactive])

  useEffect(() => {
    const update = () => setHasNetwork(navigator.onLine)
    window.addEventListener('online', update)
    window.addEventListener('offline', update)
    return () => {
      window.removeEventListener('online', update)
      window.removeEventListener('offline', update)
    }
  }, [])

  const connection = connectionOf({ authState, isInactive, isOpen, wasOpen, isLongDown, hasNetwork })
  // Without access the page shows no data that could be out of date.
  return { connection, lostAt: authState === 'allowed' ? lostAt : null }
}
