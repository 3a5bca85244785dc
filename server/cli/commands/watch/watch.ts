/** `watch`: a live view of the queue on the terminal. */
import type { Command } from 'commander'
import { SECOND } from '../../../../shared/limits.ts'
import type { Cli } from '../../cli.ts'
import { exitCodeOf, messageOf, usageError } from '../../exit-codes.ts'
import { duration } from '../../input/option-values.ts'
import { sleep } from '../../sleep.ts'
import { drawFrame, readSnapshot, type Snapshot } from './watch-frame.ts'

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l'
const MAIN_SCREEN = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const END_OF_LINE = '\u001b[K'
const END_OF_SCREEN = '\u001b[J'
const CTRL_C = '\u0003'
const MIN_INTERVAL_MS = 100

export function addWatch(program: Command, cli: Cli): void {
  program
    .command('watch')
    .alias('top')
    .description('show a live view of the queue; q or Ctrl-C quits')
    .option('--interval <duration>', 'refresh interval', duration, SECOND)
    .addHelpText('after', '\nExamples:\n  $ queuectl watch\n  $ queuectl watch --interval 5s')
    .action(async ({ interval }: { readonly interval: number }) => {
      const { stdout } = cli.io
      if (!stdout.isTTY) throw usageError('watch needs a terminal; use queuectl status --json in scripts.')
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
        let snapshot: Snapshot | null = null
        stdout.write(ALTERNATE_SCREEN)
        try {
          while (!ended.signal.aborted) {
            let problem: string | null = null
            try {
              snapshot = await readSnapshot(queue, stdout.rows, cli.now())
            } catch (error) {
              if (exitCodeOf(error) === null) throw error
              problem = messageOf(error)
            }
            if (ended.signal.aborted) break
            const lines = drawFrame({
              snapshot,
              problem,
              location: where.shown,
              now: cli.now(),
              rows: stdout.rows,
              options: { paint, width: stdout.columns },
            })
            stdout.write(HOME + lines.map((line) => line + END_OF_LINE).join('\r\n') + END_OF_SCREEN)
            await sleep(cli.io.clock, Math.max(MIN_INTERVAL_MS, interval), ended.signal)
          }
        } finally {
          stdout.write(MAIN_SCREEN)
          for (const one of undo) one()
        }
      })
    })
}
