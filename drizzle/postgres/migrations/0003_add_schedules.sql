CREATE TABLE "millrace_schedule_ticks" (
	"schedule" text NOT NULL,
	"at" bigint NOT NULL,
	"due_at" bigint NOT NULL,
	"processed_at" bigint NOT NULL,
	"origin" text NOT NULL,
	"outcome" text NOT NULL,
	"job_id" text,
	"missed" bigint DEFAULT 0 NOT NULL,
	"note" text,
	CONSTRAINT "millrace_schedule_ticks_pk" PRIMARY KEY("schedule","at")
);
--> statement-breakpoint
DROP INDEX "millrace_schedules_due";--> statement-breakpoint
ALTER TABLE "millrace_bulk_operations" ADD COLUMN "backfill" text;--> statement-breakpoint
ALTER TABLE "millrace_jobs" ADD COLUMN "tick" text;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "next_tick_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "last_tick_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "runs" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "declared" text;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "override" text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "pause_after" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "failures" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "last_success_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "last_failure_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "paused_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "paused_by" text;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "pause_note" text;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "orphaned_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "stops_at" bigint;--> statement-breakpoint
ALTER TABLE "millrace_schedules" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "millrace_schedules_owner" ON "millrace_schedules" USING btree ("owner") WHERE "millrace_schedules"."owner" is not null;--> statement-breakpoint
CREATE INDEX "millrace_schedules_due" ON "millrace_schedules" USING btree ("next_run_at") WHERE "millrace_schedules"."next_run_at" is not null;--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "payload";--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "options";--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "cron";--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "timezone";--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "paused";--> statement-breakpoint
ALTER TABLE "millrace_schedules" DROP COLUMN "last_run_at";