/** Calls that only read. */

import { groupKeyInput, groupKeysInput, groupsInput } from '../../../shared/contracts/groups.ts'
import * as inputs from '../../../shared/contracts/observe.ts'
import { bulkCountInput } from '../../../shared/contracts/operate.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import { admin, produceOrRead, read } from './call.ts'
import { limitWait } from './waiting.ts'

export const observeCalls = {
  get: read(inputs.idInput, (ctx, params) => ctx.engine.parsed.get(params)),
  list: read(inputs.listInput.optional(), (ctx, params = PARSERS.list()) => ctx.engine.parsed.list(params)),
  stats: read(inputs.statsInput.optional(), (ctx, params = PARSERS.stats()) => ctx.engine.parsed.stats(params)),
  history: read(inputs.historyInput.optional(), (ctx, params = PARSERS.history()) => ctx.engine.parsed.history(params)),
  depths: read(inputs.depthsInput.optional(), (ctx, params = PARSERS.depths()) => ctx.engine.parsed.depths(params)),
  result: produceOrRead(inputs.resultInput, (ctx, params, context) =>
    ctx.engine.parsed.result(limitWait(ctx, params), context),
  ),
  explain: read(inputs.idInput, (ctx, params) => ctx.engine.parsed.explain(params)),
  attempts: read(inputs.idInput, (ctx, params) => ctx.engine.parsed.attempts(params)),
  logs: read(inputs.logsInput, (ctx, params) => ctx.engine.parsed.logs(params)),
  facts: read(inputs.noInput, (ctx) => ctx.engine.parsed.facts()),
  types: read(inputs.noInput, (ctx) => ctx.engine.parsed.types()),
  type: read(inputs.typeInput, (ctx, params) => ctx.engine.parsed.type(params)),
  settings: read(inputs.noInput, (ctx) => ctx.engine.parsed.settings()),
  workers: read(inputs.noInput, (ctx) => ctx.engine.parsed.workers()),
  failureGroups: read(inputs.failureGroupsInput.optional(), (ctx, params = PARSERS.failureGroups()) =>
    ctx.engine.parsed.failureGroups(params),
  ),
  groups: read(groupsInput.optional(), (ctx, params = PARSERS.groups()) => ctx.engine.parsed.groups(params)),
  groupKeys: read(groupKeysInput, (ctx, params) => ctx.engine.parsed.groupKeys(params)),
  groupKey: read(groupKeyInput, (ctx, params) => ctx.engine.parsed.groupKey(params)),
  bulk: read(inputs.idInput, (ctx, params) => ctx.engine.parsed.bulk(params)),
  countBulk: read(bulkCountInput, (ctx, params) => ctx.engine.parsed.countBulk(params)),
  auditTrail: admin(inputs.auditTrailInput.optional(), (ctx, params = PARSERS.auditTrail()) =>
    ctx.engine.parsed.auditTrail(params),
  ),
  tokens: admin(inputs.noInput, (ctx) => ctx.engine.parsed.tokens()),
}
