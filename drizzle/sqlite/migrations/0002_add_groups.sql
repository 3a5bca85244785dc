ALTER TABLE `millrace_jobs` RENAME COLUMN "concurrency_key" TO "group_name";--> statement-breakpoint
CREATE TABLE `millrace_job_groups` (
	`name` text NOT NULL,
	`key` text NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`processing` integer DEFAULT 0 NOT NULL,
	`blocked` integer DEFAULT 0 NOT NULL,
	`tat` real,
	`busy_until` integer,
	`wake_at` integer,
	`turn_seq` integer,
	`stopped_at` integer,
	`override` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`name`, `key`),
	CONSTRAINT "millrace_job_groups_positive" CHECK("millrace_job_groups"."pending" >= 0 and "millrace_job_groups"."processing" >= 0 and "millrace_job_groups"."blocked" >= 0)
);
--> statement-breakpoint
CREATE INDEX `millrace_job_groups_wake` ON `millrace_job_groups` (`wake_at`) WHERE "millrace_job_groups"."wake_at" is not null;--> statement-breakpoint
ALTER TABLE `millrace_jobs` ADD `group_key` text;--> statement-breakpoint
CREATE INDEX `millrace_jobs_blocked` ON `millrace_jobs` (`group_name`,`group_key`,"priority" desc,`run_at`,`seq`) WHERE "millrace_jobs"."status" = 'blocked';--> statement-breakpoint
CREATE INDEX `millrace_jobs_group` ON `millrace_jobs` (`group_name`,`group_key`,`seq`) WHERE "millrace_jobs"."group_key" is not null and "millrace_jobs"."finished_at" is null;