CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target` text,
	`details` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_target` ON `audit` (`target`,`id`);--> statement-breakpoint
CREATE TABLE `bulk_items` (
	`bulk_id` text NOT NULL,
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`before` text NOT NULL,
	`status_after` text NOT NULL,
	PRIMARY KEY(`bulk_id`, `seq`)
);
--> statement-breakpoint
CREATE TABLE `bulk_operations` (
	`id` text PRIMARY KEY NOT NULL,
	`action` text NOT NULL,
	`filter` text NOT NULL,
	`state` text NOT NULL,
	`actor` text NOT NULL,
	`cursor` integer NOT NULL,
	`matched` integer DEFAULT 0 NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`undone` integer DEFAULT 0 NOT NULL,
	`starts_at` integer NOT NULL,
	`undo_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `job_attempts` (
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`type` text NOT NULL,
	`worker` text,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`status_after` text NOT NULL,
	`next_run_at` integer,
	`error` text,
	`error_key` text,
	`exit_code` integer,
	PRIMARY KEY(`seq`, `version`),
	FOREIGN KEY (`seq`) REFERENCES `jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `job_attempts_failures` ON `job_attempts` (`finished_at`,`type`,`error_key`) WHERE "job_attempts"."error_key" is not null;--> statement-breakpoint
CREATE TABLE `job_bodies` (
	`seq` integer PRIMARY KEY NOT NULL,
	`payload` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `job_counts` (
	`type` text NOT NULL,
	`status` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`type`, `status`),
	CONSTRAINT "job_counts_positive" CHECK("job_counts"."n" >= 0)
);
--> statement-breakpoint
CREATE TABLE `job_logs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`stream` text NOT NULL,
	`at` integer NOT NULL,
	`line` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `job_logs_attempt` ON `job_logs` (`seq`,`version`,`id`);--> statement-breakpoint
CREATE TABLE `job_minutes` (
	`minute` integer NOT NULL,
	`type` text NOT NULL,
	`enqueued` integer DEFAULT 0 NOT NULL,
	`completed` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`dead` integer DEFAULT 0 NOT NULL,
	`waits` text DEFAULT '[]' NOT NULL,
	`runs` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`minute`, `type`)
);
--> statement-breakpoint
CREATE TABLE `job_results` (
	`seq` integer PRIMARY KEY NOT NULL,
	`result` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `job_types` (
	`name` text PRIMARY KEY NOT NULL,
	`kind` text DEFAULT 'job' NOT NULL,
	`declared` text DEFAULT '{}' NOT NULL,
	`override` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer,
	`crashes` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`lease_until` integer,
	`lease_ms` integer,
	`locked_by` text,
	`error` text,
	`progress` real,
	`dedupe_key` text,
	`dedupe_until` text,
	`timeout_ms` integer,
	`backoff` text,
	`face` text DEFAULT 'api' NOT NULL,
	`cancel_requested_at` integer,
	`claim_request_id` text,
	`traceparent` text,
	`concurrency_key` text,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	CONSTRAINT "jobs_terminal_is_finished" CHECK(("jobs"."status" = 'completed' or "jobs"."status" = 'failed' or "jobs"."status" = 'cancelled') = ("jobs"."finished_at" is not null)),
	CONSTRAINT "jobs_processing_is_leased" CHECK(("jobs"."status" = 'processing') = ("jobs"."lease_until" is not null)),
	CONSTRAINT "jobs_leased_has_worker" CHECK("jobs"."lease_until" is null or "jobs"."locked_by" is not null),
	CONSTRAINT "jobs_counts_positive" CHECK("jobs"."attempts" >= 0 and "jobs"."crashes" >= 0 and "jobs"."version" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_id` ON `jobs` (`id`);--> statement-breakpoint
CREATE INDEX `jobs_claim` ON `jobs` (`type`,"priority" desc,`run_at`,`seq`) WHERE "jobs"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`run_at`) WHERE "jobs"."status" in ('scheduled', 'retrying');--> statement-breakpoint
CREATE INDEX `jobs_lease` ON `jobs` (`lease_until`) WHERE "jobs"."status" = 'processing';--> statement-breakpoint
CREATE INDEX `jobs_expiry` ON `jobs` (`expires_at`) WHERE "jobs"."expires_at" is not null and "jobs"."finished_at" is null and "jobs"."lease_until" is null;--> statement-breakpoint
CREATE INDEX `jobs_finished` ON `jobs` (`type`,`status`,`finished_at`) WHERE "jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX `jobs_claim_request` ON `jobs` (`claim_request_id`) WHERE "jobs"."claim_request_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_dedupe` ON `jobs` (`type`,`dedupe_key`) WHERE "jobs"."dedupe_key" is not null and ("jobs"."dedupe_until" = 'removed' or "jobs"."finished_at" is null);--> statement-breakpoint
CREATE TABLE `leadership` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rate_buckets` (
	`name` text PRIMARY KEY NOT NULL,
	`tokens` real NOT NULL,
	`refilled_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `schedules` (
	`name` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`payload` text NOT NULL,
	`options` text DEFAULT '{}' NOT NULL,
	`cron` text NOT NULL,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`paused` integer DEFAULT false NOT NULL,
	`next_run_at` integer,
	`last_run_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `schedules_due` ON `schedules` (`next_run_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`type_prefix` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `workers` (
	`name` text PRIMARY KEY NOT NULL,
	`types` text DEFAULT '[]' NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`drain_requested_at` integer
);
