/** Follows the line to the server: its state, and since when what is on the page may be old. */
import { useEffect, useState } from 'react'
import { type Connection, connectionOf, type Line } from './connection.ts'

const LONG_DOWN_MS = 10_000

export interface LineState {
  readonly connection: Connection
  /** When the line broke; null while it is open or before it first was. */
  readonly lostAt: number | null
}

export function useLine({ isOpen, door, isResting }: Pick<Line, 'isOpen' | 'door' | 'isResting'>): LineState {
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
    if (isResting) return
    const timer = setTimeout(() => setIsLongDown(true), LONG_DOWN_MS)
    return () => clearTimeout(timer)
  }, [isOpen, isResting])

  useEffect(() => {
    const look = () => setHasNetwork(navigator.onLine)
    window.addEventListener('online', look)
    window.addEventListener('offline', look)
    return () => {
      window.removeEventListener('online', look)
      window.removeEventListener('offline', look)
    }
  }, [])

  const connection = connectionOf({ door, isResting, isOpen, wasOpen, isLongDown, hasNetwork })
  // Behind a closed door nothing is on the page that could be old.
  return { connection, lostAt: door === 'open' ? lostAt : null }
}
