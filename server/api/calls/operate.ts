/** Calls of operators; the caller is the actor in the audit trail. */
import { groupUpdateInput } from '../../../shared/contracts/groups.ts'
import { idInput, noInput, typeInput } from '../../../shared/contracts/observe.ts'
import * as inputs from '../../../shared/contracts/operate.ts'
import { tokenCreateInput } from '../../../shared/contracts/tokens.ts'
import { acting, requireMayCreateTokens } from '../caller.ts'
import { admin, workOrAdmin } from './call.ts'

export const operateCalls = {
  retry: admin(idInput, (ctx, params) => ctx.engine.parsed.retry(acting(ctx, params))),
  runNow: admin(idInput, (ctx, params) => ctx.engine.parsed.runNow(acting(ctx, params))),
  cancel: admin(idInput, (ctx, params) => ctx.engine.parsed.cancel(acting(ctx, params))),
  remove: admin(idInput, (ctx, params) => ctx.engine.parsed.remove(acting(ctx, params))),
  cleanup: admin(inputs.cleanupInput.optional(), (ctx, params = {}) => ctx.engine.parsed.cleanup(acting(ctx, params))),
  declareTypes: workOrAdmin(inputs.declareTypesInput, (ctx, params) =>
    ctx.engine.parsed.declareTypes(acting(ctx, params)),
  ),
  updateType: admin(inputs.typeUpdateInput, (ctx, params) => ctx.engine.parsed.updateType(acting(ctx, params))),
  pauseType: admin(typeInput, (ctx, params) => ctx.engine.parsed.pauseType(acting(ctx, params))),
  resumeType: admin(typeInput, (ctx, params) => ctx.engine.parsed.resumeType(acting(ctx, params))),
  updateSettings: admin(inputs.settingsUpdateInput, (ctx, params) =>
    ctx.engine.parsed.updateSettings(acting(ctx, params)),
  ),
  pause: admin(noInput, (ctx) => ctx.engine.parsed.pause(acting(ctx, {}))),
  resume: admin(noInput, (ctx) => ctx.engine.parsed.resume(acting(ctx, {}))),
  updateGroup: admin(groupUpdateInput, (ctx, params) => ctx.engine.parsed.updateGroup(acting(ctx, params))),
  drainWorker: admin(inputs.drainInput, (ctx, params) => ctx.engine.parsed.drainWorker(acting(ctx, params))),
  startBulk: admin(inputs.bulkInput, (ctx, params) => ctx.engine.parsed.startBulk(acting(ctx, params))),
  cancelBulk: admin(idInput, (ctx, params) => ctx.engine.parsed.cancelBulk(acting(ctx, params))),
  undoBulk: admin(idInput, (ctx, params) => ctx.engine.parsed.undoBulk(acting(ctx, params))),

  createToken: admin(tokenCreateInput, (ctx, params) => {
    requireMayCreateTokens(ctx.caller)
    return ctx.engine.parsed.createToken(acting(ctx, params))
  }),
  revokeToken: admin(idInput, (ctx, params) => ctx.engine.parsed.revokeToken(acting(ctx, params))),
}
