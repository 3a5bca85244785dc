/** Duration of reservations: how long a busy process gets no other jobs. */
import { expect, test } from 'vitest'
import { Reservations } from '../../server/store/decisions/reservations.ts'

const START = 1_000_000
const JOB = { seq: 7, type: 'report' }

test('a reservation ends when the process stops claiming', () => {
  const reservations = new Reservations()
  expect(reservations.add('host:1', JOB, START)).toBe(true)
  expect(reservations.of('host:1', START + 40_000)).toEqual(JOB)
  expect(reservations.isReserved(7, START + 40_001)).toBe(false)
})

test('a reservation lasts a minute while the process claims; then the process works as usual for a minute', () => {
  const reservations = new Reservations()
  reservations.add('host:1', JOB, START)
  reservations.claimed('host:1', START + 30_000)
  expect(reservations.of('host:1', START + 59_999)).toEqual(JOB)
  expect(reservations.of('host:1', START + 60_000)).toBeNull()
  expect(reservations.add('host:1', JOB, START + 119_999)).toBe(false)
  expect(reservations.add('host:1', JOB, START + 120_000)).toBe(true)
})

test('a reservation lasts twice as long each time the process did not become idle', () => {
  const reservations = new Reservations()
  let now = START
  for (const drainMs of [60_000, 120_000, 240_000]) {
    expect(reservations.add('host:1', JOB, now)).toBe(true)
    for (let at = 0; at < drainMs; at += 30_000) reservations.claimed('host:1', now + at)
    expect(reservations.of('host:1', now + drainMs - 1)).toEqual(JOB)
    expect(reservations.of('host:1', now + drainMs)).toBeNull()
    expect(reservations.add('host:1', JOB, now + 2 * drainMs - 1)).toBe(false)
    now += 2 * drainMs
  }
})

test('a reservation ends when another process claims the job', () => {
  const reservations = new Reservations()
  reservations.add('host:1', JOB, START)
  reservations.taken(7)
  expect(reservations.of('host:1', START)).toBeNull()
  expect(reservations.add('host:1', { ...JOB, seq: 8 }, START)).toBe(true)
})

test('a clock that was set back ends all reservations', () => {
  const reservations = new Reservations()
  reservations.add('host:1', JOB, START)
  expect(reservations.of('host:1', START - 50_000)).toBeNull()
})
