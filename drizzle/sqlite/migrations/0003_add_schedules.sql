CREATE TABLE `millrace_schedule_ticks` (
	`schedule` text NOT NULL,
	`at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`processed_at` integer NOT NULL,
	`origin` text NOT NULL,
	`outcome` text NOT NULL,
	`job_id` text,
	`missed` integer DEFAULT 0 NOT NULL,
	`note` text,
	PRIMARY KEY(`schedule`, `at`)
);
--> statement-breakpoint
DROP INDEX `millrace_schedules_due`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `next_tick_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `last_tick_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `runs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `owner` text;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `declared` text;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `override` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `pause_after` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `last_success_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `last_failure_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `paused_by` text;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `pause_note` text;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `orphaned_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `stops_at` integer;--> statement-breakpoint
ALTER TABLE `millrace_schedules` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `millrace_schedules_owner` ON `millrace_schedules` (`owner`) WHERE "millrace_schedules"."owner" is not null;--> statement-breakpoint
CREATE INDEX `millrace_schedules_due` ON `millrace_schedules` (`next_run_at`) WHERE "millrace_schedules"."next_run_at" is not null;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `payload`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `options`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `cron`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `timezone`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `paused`;--> statement-breakpoint
ALTER TABLE `millrace_schedules` DROP COLUMN `last_run_at`;--> statement-breakpoint
ALTER TABLE `millrace_bulk_operations` ADD `backfill` text;--> statement-breakpoint
ALTER TABLE `millrace_jobs` ADD `tick` text;