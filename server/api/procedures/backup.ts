/** The procedure `backup`: the server copies its database to the configured backup folder. */

import { backupInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { BackupRecord } from '../../../shared/records.ts'
import { admin } from '../trpc.ts'

export const backupProcedures = {
  backup: admin.input(backupInput.optional()).mutation(async ({ ctx, input }): Promise<BackupRecord> => {
    const { engine, caller, backups } = ctx
    // Throws CLOSED on a closed queue.
    await engine.facts()
    if (!backups) throw new QueueError('UNSUPPORTED', 'Backups are not available here; call this on a Millrace server.')
    const { name, file, bytes, jobs } = await backups.make(input?.name)
    await engine.audit({ actor: caller.actor, action: 'backup', target: name, details: { bytes, jobs } })
    return { name, file, bytes, jobs }
  }),
}
