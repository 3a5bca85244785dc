/** Command line options of the comparison. */
import { parseArgs } from 'node:util'
import { MEASURES, type MeasureName } from './measures.ts'
import { SYSTEMS, type System } from './systems.ts'

const ROUNDS = 3
const TURN_MS = 800
const QUICK = { rounds: 1, turnMs: 100 }

export interface PeerOptions {
  readonly systems: readonly System[]
  readonly measures: readonly MeasureName[]
  readonly rounds: number
  readonly turnMs: number
}

export function parsePeerOptions(args: readonly string[]): PeerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      measures: { type: 'string' },
      rounds: { type: 'string' },
      'turn-ms': { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const names = select(
    values.only,
    SYSTEMS.map(({ name }) => name),
    'system',
  )
  const base = values.quick ? QUICK : { rounds: ROUNDS, turnMs: TURN_MS }
  return {
    systems: SYSTEMS.filter(({ name }) => names.includes(name)),
    measures: select(values.measures, MEASURES, 'measure'),
    rounds: wholeNumber('--rounds', values.rounds, base.rounds),
    turnMs: wholeNumber('--turn-ms', values['turn-ms'], base.turnMs),
  }
}

/** A name selects itself; if there is none, all names that start with it: `limit`, `process`. */
function select<Name extends string>(list: string | undefined, all: readonly Name[], what: string): readonly Name[] {
  if (list === undefined) return all
  const selected = new Set<string>()
  for (const wanted of list.split(',').map((name) => name.trim())) {
    const exact = all.filter((name) => name === wanted)
    const matching = exact.length > 0 ? exact : all.filter((name) => name.startsWith(`${wanted}-`))
    if (matching.length === 0) throw new Error(`There is no ${what} ${wanted}; choose from ${all.join(', ')}.`)
    for (const name of matching) selected.add(name)
  }
  return all.filter((name) => selected.has(name))
}

function wholeNumber(option: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} must be a whole number of at least 1.`)
  return value
}
