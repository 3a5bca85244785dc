/** Terminal colours; off for pipes, NO_COLOR and dumb terminals. */
import type { Status } from '../../../shared/status.ts'
import type { Environment } from '../../base/config/config.ts'
import type { Output } from '../io.ts'

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta'
export type Brush = (text: string) => string
export type Paint = Readonly<Record<Colour, Brush>>

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
}

export function createPaint(output: Output, env: Environment): Paint {
  const isOn = output.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  const brush = (colour: Colour): Brush => {
    const [on, off] = CODES[colour]
    return isOn ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text
  }
  return {
    bold: brush('bold'),
    dim: brush('dim'),
    red: brush('red'),
    green: brush('green'),
    yellow: brush('yellow'),
    blue: brush('blue'),
    magenta: brush('magenta'),
  }
}

/** The colours of the dashboard. */
const COLOUR_OF: Readonly<Record<Status, Colour>> = {
  scheduled: 'magenta',
  blocked: 'magenta',
  pending: 'yellow',
  processing: 'blue',
  retrying: 'magenta',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
}

export function statusBrush(paint: Paint, status: Status): Brush {
  return paint[COLOUR_OF[status]]
}
