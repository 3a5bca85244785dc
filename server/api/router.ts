/** The router with every procedure of the queue. Clients use its type, `AppRouter`. */
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { backupProcedures } from './procedures/backup.ts'
import { batchProcedures } from './procedures/batch.ts'
import { watchProcedures } from './procedures/events.ts'
import {
  auditProcedures,
  bulkProcedures,
  failureProcedures,
  groupProcedures,
  scheduleProcedures,
  settingsProcedures,
  tokenProcedures,
  typeProcedures,
  workerProcedures,
} from './procedures/nested.ts'
import { observeProcedures } from './procedures/observe.ts'
import { operateProcedures } from './procedures/operate.ts'
import { produceProcedures } from './procedures/produce.ts'
import { workProcedures } from './procedures/work.ts'
import { router } from './trpc.ts'

export const appRouter = router({
  ...produceProcedures,
  ...workProcedures,
  ...observeProcedures,
  ...operateProcedures,
  ...backupProcedures,
  ...batchProcedures,
  ...watchProcedures,
  types: typeProcedures,
  groups: groupProcedures,
  workers: workerProcedures,
  settings: settingsProcedures,
  failures: failureProcedures,
  bulk: bulkProcedures,
  schedules: scheduleProcedures,
  audit: auditProcedures,
  tokens: tokenProcedures,
})

/**
 * The router type without lazy loading and the in-process caller. These types are tied to one copy of @trpc/server and no client
 * uses them; without them the type also fits clients that load the CommonJS copy.
 */
interface Portable<Router extends { readonly _def: object }> {
  readonly _def: Omit<Router['_def'], 'lazy'> & { readonly lazy: Record<string, never> }
  readonly createCaller: never
}

/** The type of the tRPC router, for `createTRPCClient<AppRouter>`. */
export type AppRouter = Portable<typeof appRouter> & Omit<typeof appRouter, '_def' | 'createCaller'>

/** Inputs and outputs of each procedure, as clients see them. */
export type RouterInputs = inferRouterInputs<AppRouter>
export type RouterOutputs = inferRouterOutputs<AppRouter>
