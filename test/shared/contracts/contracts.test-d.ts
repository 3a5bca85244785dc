/** The interfaces of the contracts equal the types of their schemas. */
import type { z } from 'zod'
import type * as groups from '../../../shared/contracts/groups.ts'
import type * as observe from '../../../shared/contracts/observe.ts'
import type * as operate from '../../../shared/contracts/operate.ts'
import type * as produce from '../../../shared/contracts/produce.ts'
import type * as schedules from '../../../shared/contracts/schedules.ts'
import type * as tokens from '../../../shared/contracts/tokens.ts'
import type * as work from '../../../shared/contracts/work.ts'
import type { Backoff, BackoffInput, backoffSchema } from '../../../shared/settings/backoff.ts'
import type * as settings from '../../../shared/settings/settings.ts'

type Keys<Value> = Value extends unknown ? keyof Value : never

/** true: both types are mutually assignable, including optional properties. */
type Same<One, Other> = [One, Other, Keys<One>, Keys<Other>] extends [Other, One, Keys<Other>, Keys<One>] ? true : false

/** Fails to compile if one of the results is false. */
type AllTrue<Checks extends readonly true[]> = Checks

export type Checked = AllTrue<
  [
    Same<produce.EnqueueInput, z.input<typeof produce.enqueueInput>>,
    Same<produce.EnqueueManyInput, z.input<typeof produce.enqueueManyInput>>,
    Same<work.AboutWorker, z.input<typeof work.aboutWorker>>,
    Same<work.ClaimInput, z.input<typeof work.claimInput>>,
    Same<work.CompleteInput, z.input<typeof work.completeInput>>,
    Same<work.FailInput, z.input<typeof work.failInput>>,
    Same<work.ReleaseInput, z.input<typeof work.releaseInput>>,
    Same<work.SettleInput, z.input<typeof work.settleInput>>,
    Same<work.ExchangeInput, z.input<typeof work.exchangeInput>>,
    Same<work.HeartbeatInput, z.input<typeof work.heartbeatInput>>,
    Same<work.HoldersInput, z.input<typeof work.holdersInput>>,
    Same<work.ProgressInput, z.input<typeof work.progressInput>>,
    Same<work.LogInput, z.input<typeof work.logInput>>,
    Same<observe.JobFilter, z.input<typeof observe.jobFilter>>,
    Same<observe.ListInput, z.input<typeof observe.listInput>>,
    Same<observe.ResultInput, z.input<typeof observe.resultInput>>,
    Same<observe.IdInput, z.input<typeof observe.idInput>>,
    Same<observe.TypeInput, z.input<typeof observe.typeInput>>,
    Same<observe.StatsInput, z.input<typeof observe.statsInput>>,
    Same<observe.HistoryInput, z.input<typeof observe.historyInput>>,
    Same<observe.DepthsInput, z.input<typeof observe.depthsInput>>,
    Same<observe.LogsInput, z.input<typeof observe.logsInput>>,
    Same<observe.FailureGroupsInput, z.input<typeof observe.failureGroupsInput>>,
    Same<observe.AuditTrailInput, z.input<typeof observe.auditTrailInput>>,
    Same<operate.CleanupInput, z.input<typeof operate.cleanupInput>>,
    Same<operate.BulkInput, z.input<typeof operate.bulkInput>>,
    Same<operate.BulkCountInput, z.input<typeof operate.bulkCountInput>>,
    Same<operate.TypeUpdateInput, z.input<typeof operate.typeUpdateInput>>,
    Same<operate.SettingsUpdateInput, z.input<typeof operate.settingsUpdateInput>>,
    Same<operate.DeclareTypesInput, z.input<typeof operate.declareTypesInput>>,
    Same<groups.GroupRules, z.input<typeof groups.groupRulesSchema>>,
    Same<groups.GroupSettings, z.input<typeof groups.groupSettingsSchema>>,
    Same<groups.GroupsInput, z.input<typeof groups.groupsInput>>,
    Same<groups.GroupKeysInput, z.input<typeof groups.groupKeysInput>>,
    Same<groups.GroupKeyInput, z.input<typeof groups.groupKeyInput>>,
    Same<groups.GroupUpdateInput, z.input<typeof groups.groupUpdateInput>>,
    Same<operate.DrainInput, z.input<typeof operate.drainInput>>,
    Same<operate.BackupInput, z.input<typeof operate.backupInput>>,
    Same<operate.AuditInput, z.input<typeof operate.auditInput>>,
    Same<schedules.SchedulesInput, z.input<typeof schedules.schedulesInput>>,
    Same<schedules.ScheduleInput, z.input<typeof schedules.scheduleInput>>,
    Same<schedules.SchedulePreviewInput, z.input<typeof schedules.schedulePreviewInput>>,
    Same<schedules.ScheduleCreateInput, z.input<typeof schedules.scheduleCreateInput>>,
    Same<schedules.ScheduleUpdateInput, z.input<typeof schedules.scheduleUpdateInput>>,
    Same<schedules.SchedulePauseInput, z.input<typeof schedules.schedulePauseInput>>,
    Same<schedules.DeclareSchedulesInput, z.input<typeof schedules.declareSchedulesInput>>,
    Same<schedules.ScheduleBackfillInput, z.input<typeof schedules.scheduleBackfillInput>>,
    Same<tokens.TokenCreateInput, z.input<typeof tokens.tokenCreateInput>>,
    Same<settings.TypeSettingsInput, z.input<typeof settings.typeSettingsSchema>>,
    Same<settings.QueueSettingsInput, z.input<typeof settings.queueSettingsSchema>>,
    Same<settings.TypeSettings, z.output<typeof settings.typeSettingsSchema>>,
    Same<settings.QueueSettings, z.output<typeof settings.queueSettingsSchema>>,
    Same<Backoff, z.output<typeof backoffSchema>>,
    Same<BackoffInput, z.input<typeof backoffSchema>>,
  ]
>
