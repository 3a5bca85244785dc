CREATE TABLE `millrace_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_id` text,
	`proof` text,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `millrace_tokens` (
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
CREATE UNIQUE INDEX `millrace_tokens_hash` ON `millrace_tokens` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `millrace_tokens_name` ON `millrace_tokens` (`name`) WHERE "millrace_tokens"."revoked_at" is null;--> statement-breakpoint
CREATE TABLE `millrace_audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target` text,
	`details` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `millrace_audit_target` ON `millrace_audit` (`target`,`id`);--> statement-breakpoint
CREATE TABLE `millrace_job_depths` (
	`minute` integer NOT NULL,
	`type` text NOT NULL,
	`ready` integer NOT NULL,
	`backlog` integer NOT NULL,
	PRIMARY KEY(`minute`, `type`)
);
--> statement-breakpoint
CREATE TABLE `millrace_job_minutes` (
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
CREATE TABLE `millrace_bulk_items` (
	`bulk_id` text NOT NULL,
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`before` text NOT NULL,
	`status_after` text NOT NULL,
	PRIMARY KEY(`bulk_id`, `seq`)
);
--> statement-breakpoint
CREATE TABLE `millrace_bulk_operations` (
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
CREATE TABLE `millrace_job_attempts` (
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
	FOREIGN KEY (`seq`) REFERENCES `millrace_jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `millrace_job_attempts_failures` ON `millrace_job_attempts` (`finished_at`,`type`,`error_key`) WHERE "millrace_job_attempts"."error_key" is not null;--> statement-breakpoint
CREATE TABLE `millrace_job_bodies` (
	`seq` integer PRIMARY KEY NOT NULL,
	`payload` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `millrace_jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `millrace_job_counts` (
	`type` text NOT NULL,
	`status` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`type`, `status`),
	CONSTRAINT "millrace_job_counts_positive" CHECK("millrace_job_counts"."n" >= 0)
);
--> statement-breakpoint
CREATE TABLE `millrace_job_logs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`seq` integer NOT NULL,
	`version` integer NOT NULL,
	`stream` text NOT NULL,
	`at` integer NOT NULL,
	`line` text NOT NULL,
	`number` integer,
	FOREIGN KEY (`seq`) REFERENCES `millrace_jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `millrace_job_logs_attempt` ON `millrace_job_logs` (`seq`,`version`,`id`);--> statement-breakpoint
CREATE TABLE `millrace_job_results` (
	`seq` integer PRIMARY KEY NOT NULL,
	`result` text NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `millrace_jobs`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `millrace_job_types` (
	`name` text PRIMARY KEY NOT NULL,
	`kind` text DEFAULT 'job' NOT NULL,
	`declared` text DEFAULT '{}' NOT NULL,
	`override` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `millrace_jobs` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer,
	`crashes` integer DEFAULT 0 NOT NULL,
	`unconfirmed_claims` integer DEFAULT 0 NOT NULL,
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
	CONSTRAINT "millrace_jobs_terminal_is_finished" CHECK(("millrace_jobs"."status" = 'completed' or "millrace_jobs"."status" = 'failed' or "millrace_jobs"."status" = 'cancelled') = ("millrace_jobs"."finished_at" is not null)),
	CONSTRAINT "millrace_jobs_processing_is_leased" CHECK(("millrace_jobs"."status" = 'processing') = ("millrace_jobs"."lease_until" is not null)),
	CONSTRAINT "millrace_jobs_leased_has_worker" CHECK("millrace_jobs"."lease_until" is null or "millrace_jobs"."locked_by" is not null),
	CONSTRAINT "millrace_jobs_counts_positive" CHECK("millrace_jobs"."attempts" >= 0 and "millrace_jobs"."crashes" >= 0 and "millrace_jobs"."version" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `millrace_jobs_id` ON `millrace_jobs` (`id`);--> statement-breakpoint
CREATE INDEX `millrace_jobs_claim` ON `millrace_jobs` (`type`,"priority" desc,`run_at`,`seq`) WHERE "millrace_jobs"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `millrace_jobs_suspects` ON `millrace_jobs` (`status`,`type`,"priority" desc,`run_at`,`seq`) WHERE "millrace_jobs"."crashes" > 0 and "millrace_jobs"."face" <> 'messages' and "millrace_jobs"."finished_at" is null;--> statement-breakpoint
CREATE INDEX `millrace_jobs_due` ON `millrace_jobs` (`run_at`) WHERE "millrace_jobs"."status" in ('scheduled', 'retrying');--> statement-breakpoint
CREATE INDEX `millrace_jobs_lease` ON `millrace_jobs` (`lease_until`) WHERE "millrace_jobs"."status" = 'processing';--> statement-breakpoint
CREATE INDEX `millrace_jobs_expiry` ON `millrace_jobs` (`expires_at`) WHERE "millrace_jobs"."expires_at" is not null and "millrace_jobs"."finished_at" is null and "millrace_jobs"."lease_until" is null;--> statement-breakpoint
CREATE INDEX `millrace_jobs_finished` ON `millrace_jobs` (`type`,`status`,`finished_at`) WHERE "millrace_jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX `millrace_jobs_claim_request` ON `millrace_jobs` (`claim_request_id`) WHERE "millrace_jobs"."claim_request_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `millrace_jobs_dedupe` ON `millrace_jobs` (`type`,`dedupe_key`) WHERE "millrace_jobs"."dedupe_key" is not null and ("millrace_jobs"."dedupe_until" = 'removed' or "millrace_jobs"."finished_at" is null);--> statement-breakpoint
CREATE TABLE `millrace_leadership` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `millrace_rate_buckets` (
	`name` text PRIMARY KEY NOT NULL,
	`tokens` real NOT NULL,
	`refilled_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `millrace_schedules` (
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
CREATE INDEX `millrace_schedules_due` ON `millrace_schedules` (`next_run_at`);--> statement-breakpoint
CREATE TABLE `millrace_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `millrace_workers` (
	`name` text PRIMARY KEY NOT NULL,
	`types` text DEFAULT '[]' NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`drain_requested_at` integer,
	`slots` integer,
	`version` text,
	`process` text
);
