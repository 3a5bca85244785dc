/** `watch`: the queue live on the terminal, drawn again in place until somebody has seen enough. */
import type { Command } from 'commander'
import { SECOND } from '../../../../shared/limits.ts'
import type { Cli } from '../../cli.ts'
import { exitCodeOf, messageOf, usage } from '../../exit-codes.ts'
import { duration } from '../../input/option-values.ts'
import { pause } from '../../sleep.ts'
import { drawFrame, readSight, type Sight } from './watch-frame.ts'

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l'
const USUAL_SCREEN = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const END_OF_LINE = '\u001b[K'
const END_OF_SCREEN = '\u001b[J'
const CTRL_C = '\u0003'
const MIN_INTERVAL_MS = 100

export function addWatch(program: Command, cli: Cli): void {
  program
    .command('watch')
    .alias('top')
    .description('watch the queue live; q or Ctrl-C ends it')
    .option('--interval <duration>', 'look this often', duration, SECOND)
    .addHelpText('after', '\nExamples:\n  $ queuectl watch\n  $ queuectl watch --interval 5s')
    .action(async ({ interval }: { readonly interval: number }) => {
      const { stdout } = cli.io
      if (!stdout.isTTY) throw usage('watch needs a terminal; queuectl status --json is for programs.')
      const ended = new AbortController()
      const end = () => ended.abort()
      await cli.withQueue(async (queue, where) => {
        const paint = await cli.paint()
        const undo = [
          cli.io.onInterrupt(end),
          cli.io.stdin.isTTY
            ? cli.io.stdin.onKey((key) => {
                if (key === 'q' || key === 'Q' || key === CTRL_C) end()
              })
            : () => {},
        ]
        let sight: Sight | null = null
        stdout.write(ALTERNATE_SCREEN)
        try {
          while (!ended.signal.aborted) {
            let trouble: string | null = null
            try {
              sight = await readSight(queue, stdout.rows, cli.now())
            } catch (error) {
              if (exitCodeOf(error) === null) throw error
              trouble = messageOf(error)
            }
            if (ended.signal.aborted) break
            const lines = drawFrame({
              sight,
              trouble,
              place: where.shown,
              now: cli.now(),
              rows: stdout.rows,
              options: { paint, width: stdout.columns },
            })
            stdout.write(HOME + lines.map((line) => line + END_OF_LINE).join('\r\n') + END_OF_SCREEN)
            await pause(cli.io.clock, Math.max(MIN_INTERVAL_MS, interval), ended.signal)
          }
        } finally {
          stdout.write(USUAL_SCREEN)
          for (const one of undo) one()
        }
      })
    })
}
