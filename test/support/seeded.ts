/** Random numbers from a seed (mulberry32), so that a failing run can be run again. */

export interface Seeded {
  readonly seed: number
  /** From [0, 1). */
  readonly random: () => number
}

/** TORTURE_SEED repeats a run. */
export function seeded(seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 31))): Seeded {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return { seed, random }
}
