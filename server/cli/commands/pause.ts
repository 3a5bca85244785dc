/** `pause` and `resume`: stop and restart the claiming of jobs, for one type or the whole queue. */
import type { Command } from 'commander'
import { QueueError } from '../../../shared/errors.ts'
import { nearest } from '../../../shared/json/nearest.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Cli } from '../cli.ts'

export function addPause(program: Command, cli: Cli): void {
  addCommand(program, cli, 'pause', 'pause one type or the whole queue; running jobs continue')
  addCommand(program, cli, 'resume', 'start jobs again after a pause')
}

function addCommand(program: Command, cli: Cli, name: 'pause' | 'resume', description: string): void {
  const paused = name === 'pause'
  program
    .command(name)
    .description(description)
    .argument('[type]', 'job type (default: the whole queue)')
    .addHelpText('after', `\nExamples:\n  $ queuectl ${name}\n  $ queuectl ${name} mail`)
    .action(async (type: string | undefined) => {
      await cli.withQueue(async (queue) => {
        const { actor } = cli
        if (type === undefined) await (paused ? queue.pause({ actor }) : queue.resume({ actor }))
        else await setTypePaused(queue, type, paused, actor)
        if (cli.isJson) cli.printJson({ type: type ?? null, paused })
        const settings = await queue.settings()
        const note = type !== undefined && !paused && settings.paused ? ' The whole queue is still paused.' : ''
        const subject = type === undefined ? 'The queue' : `Type ${type}`
        cli.info(`${subject} is ${paused ? 'paused; running jobs continue' : 'resumed'}.${note}`)
      })
    })
}

async function setTypePaused(queue: Queue, name: string, paused: boolean, actor: string): Promise<void> {
  try {
    await (paused ? queue.pauseType({ name, actor }) : queue.resumeType({ name, actor }))
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'NOT_FOUND') throw error
    const known = (await queue.types()).map((type) => type.name)
    const meant = nearest(name, known, 3)
    throw meant === undefined ? error : new QueueError('NOT_FOUND', `There is no type ${name}; did you mean ${meant}?`)
  }
}
