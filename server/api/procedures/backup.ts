/** The procedure `backup`: a copy of the database, made by the server where its operator said. */
import { backupInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { MadeBackup } from '../context.ts'
import { admin } from '../trpc.ts'

export const backupProcedures = {
  backup: admin.input(backupInput.optional()).mutation(async ({ ctx, input }): Promise<MadeBackup> => {
    const { engine, caller, backups } = ctx
    // A queue that is closed says so first.
    await engine.facts()
    if (!backups) throw new QueueError('UNSUPPORTED', 'There is no server here that could make a backup.')
    const { name, file, bytes, jobs } = await backups.make(input?.name)
    await engine.audit({ actor: caller.actor, action: 'backup', target: name, details: { bytes, jobs } })
    return { name, file, bytes, jobs }
  }),
}
