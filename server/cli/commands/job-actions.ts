/** `retry`, `run-now`, `cancel` and `delete`: actions on single jobs. */
import type { Command } from 'commander'
import type { ActionResult } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Cli } from '../cli.ts'
import { findJobId } from '../input/find-job.ts'
import { formatState } from '../input/states.ts'

interface JobAction {
  readonly name: string
  readonly alias?: string
  readonly description: string
  readonly example: string
  run(queue: Queue, input: { readonly id: string; readonly actor: string }): Promise<ActionResult>
}

const JOB_ACTIONS: readonly JobAction[] = [
  {
    name: 'retry',
    description: 'retry dead and retrying jobs now; the attempt count starts again at 0',
    example: 'queuectl retry 019a8c5e-30c1',
    run: (queue, input) => queue.retry(input),
  },
  {
    name: 'run-now',
    description: 'run scheduled and retrying jobs now (a retrying job keeps its attempt count)',
    example: 'queuectl run-now 019a8c5e-30c1',
    run: (queue, input) => queue.runNow(input),
  },
  {
    name: 'cancel',
    description: 'cancel jobs; a running job stops when its worker handles the cancellation',
    example: 'queuectl cancel 019a8c5e-30c1 019a8c5e-4f00',
    run: (queue, input) => queue.cancel(input),
  },
  {
    name: 'delete',
    alias: 'rm',
    description: 'delete jobs with their attempts and logs (not while they run)',
    example: 'queuectl delete 019a8c5e-30c1',
    run: (queue, input) => queue.remove(input),
  },
]

export function addJobActions(program: Command, cli: Cli): void {
  for (const action of JOB_ACTIONS) {
    const command = program.command(action.name)
    if (action.alias !== undefined) command.alias(action.alias)
    command
      .description(action.description)
      .argument('<ids...>', 'job ids, their last 8 characters, or dedupe keys')
      .addHelpText('after', `\nExamples:\n  $ ${action.example}`)
      .action(async (given: string[]) => {
        await cli.withQueue(async (queue) => {
          cli.io.ignoreClosedOutput()
          for (const word of given) await applyAction(cli, queue, action, word)
        })
      })
  }
}

/** A refused job does not stop the others. */
async function applyAction(cli: Cli, queue: Queue, action: JobAction, given: string): Promise<void> {
  try {
    const id = await findJobId(queue, given)
    const result = await action.run(queue, { id, actor: cli.actor })
    const state = action.name === 'delete' ? 'deleted' : formatState(result.status)
    cli.isJson ? cli.printJson(result) : cli.print(`${id}  ${state}`)
    if (result.status === 'processing') cli.info(`${id} is still running; its worker has been asked to stop it.`)
    else if (!result.changed) cli.info(`${id} is already ${result.status}; nothing changed.`)
  } catch (error) {
    cli.reportError(error)
  }
}
