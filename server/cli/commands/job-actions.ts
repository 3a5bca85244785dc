/** `retry`, `run-now`, `cancel`, `delete`: what operators do to single jobs. */
import type { Command } from 'commander'
import type { ActResult } from '../../../shared/job.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { stateWords } from '../input/states.ts'

interface Act {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly example: string
  act(queue: Queue, input: { readonly id: string; readonly actor: string }): Promise<ActResult>
}

const ACTS: readonly Act[] = [
  {
    name: 'retry',
    description: 'give dead or cancelled jobs all their attempts again, and take those that wait for a retry now',
    example: 'queuectl retry 019a8c5e-30c1',
    act: (queue, input) => queue.retry(input),
  },
  {
    name: 'run-now',
    description: 'make jobs due that were to wait',
    example: 'queuectl run-now 019a8c5e-30c1',
    act: (queue, input) => queue.runNow(input),
  },
  {
    name: 'cancel',
    description: 'stop jobs: at once, or as soon as the worker that runs them answers',
    example: 'queuectl cancel 019a8c5e-30c1 019a8c5e-4f00',
    act: (queue, input) => queue.cancel(input),
  },
  {
    name: 'delete',
    alias: 'rm',
    description: 'remove jobs with their attempts and logs; not while they run',
    example: 'queuectl delete 019a8c5e-30c1',
    act: (queue, input) => queue.remove(input),
  },
]

export function addActs(program: Command, cli: Cli): void {
  for (const act of ACTS) {
    const command = program.command(act.name)
    if (act.alias !== undefined) command.alias(act.alias)
    command
      .description(act.description)
      .argument('<ids...>', 'ids, the last 8 characters of them, or dedupe keys')
      .addHelpText('after', `\nExamples:\n  $ ${act.example}`)
      .action(async (given: string[]) => {
        await cli.withQueue(async (queue) => {
          cli.io.goOnUnread()
          for (const word of given) await one(cli, queue, act, word)
        })
      })
  }
}

/** One that is refused does not keep the others from it. */
async function one(cli: Cli, queue: Queue, act: Act, given: string): Promise<void> {
  try {
    const id = await findJobId(queue, given)
    const result = await act.act(queue, { id, actor: cli.actor })
    cli.isJson
      ? cli.printJson(result)
      : cli.print(`${id}  ${act.name === 'delete' ? 'deleted' : stateWords(result.status)}`)
    if (!result.changed) cli.say(`${id} was that already; nothing changed.`)
    else if (result.status === 'processing') cli.say(`${id} is asked to stop; its worker has yet to answer.`)
  } catch (error) {
    cli.complain(error)
  }
}
