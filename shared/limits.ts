/** Limits of inputs and records under one name, and units of time. */
import * as limits from './limit-values.ts'
import { DAY, HOUR, MINUTE, SECOND } from './time-units.ts'

export { DAY, HOUR, limits, MINUTE, SECOND }
