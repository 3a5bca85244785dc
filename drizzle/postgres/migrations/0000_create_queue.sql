CREATE TABLE "millrace_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token_id" text,
	"proof" text,
	"created_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text NOT NULL,
	"type_prefix" text,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint,
	"expires_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "millrace_audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "millrace_audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" bigint NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text,
	"details" text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_job_depths" (
	"minute" bigint NOT NULL,
	"type" text NOT NULL,
	"ready" bigint NOT NULL,
	"backlog" bigint NOT NULL,
	CONSTRAINT "millrace_job_depths_pk" PRIMARY KEY("minute","type")
);
--> statement-breakpoint
CREATE TABLE "millrace_job_minutes" (
	"minute" bigint NOT NULL,
	"type" text NOT NULL,
	"enqueued" bigint DEFAULT 0 NOT NULL,
	"completed" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"dead" bigint DEFAULT 0 NOT NULL,
	"waits" text DEFAULT '[]' NOT NULL,
	"runs" text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_bulk_items" (
	"bulk_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"version" bigint NOT NULL,
	"before" text NOT NULL,
	"status_after" text NOT NULL,
	CONSTRAINT "millrace_bulk_items_pk" PRIMARY KEY("bulk_id","seq")
);
--> statement-breakpoint
CREATE TABLE "millrace_bulk_operations" (
	"id" text PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"filter" text NOT NULL,
	"state" text NOT NULL,
	"actor" text NOT NULL,
	"cursor" bigint NOT NULL,
	"matched" bigint DEFAULT 0 NOT NULL,
	"changed" bigint DEFAULT 0 NOT NULL,
	"skipped" bigint DEFAULT 0 NOT NULL,
	"undone" bigint DEFAULT 0 NOT NULL,
	"starts_at" bigint NOT NULL,
	"undo_until" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "millrace_job_attempts" (
	"seq" bigint NOT NULL,
	"version" bigint NOT NULL,
	"type" text NOT NULL,
	"worker" text,
	"started_at" bigint NOT NULL,
	"finished_at" bigint NOT NULL,
	"outcome" text NOT NULL,
	"status_after" text NOT NULL,
	"next_run_at" bigint,
	"error" text,
	"error_key" text,
	"exit_code" integer,
	CONSTRAINT "millrace_job_attempts_pk" PRIMARY KEY("seq","version")
);
--> statement-breakpoint
CREATE TABLE "millrace_job_bodies" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"payload" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_job_counts" (
	"type" text NOT NULL,
	"status" text NOT NULL,
	"node" text DEFAULT '' NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "millrace_job_counts_pk" PRIMARY KEY("type","status","node")
);
--> statement-breakpoint
CREATE TABLE "millrace_job_logs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "millrace_job_logs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"seq" bigint NOT NULL,
	"version" bigint NOT NULL,
	"stream" text NOT NULL,
	"at" bigint NOT NULL,
	"line" text NOT NULL,
	"number" bigint
);
--> statement-breakpoint
CREATE TABLE "millrace_job_results" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"result" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_job_types" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text DEFAULT 'job' NOT NULL,
	"declared" text DEFAULT '{}' NOT NULL,
	"override" text DEFAULT '{}' NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_jobs" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "millrace_jobs_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer,
	"crashes" integer DEFAULT 0 NOT NULL,
	"unconfirmed_claims" integer DEFAULT 0 NOT NULL,
	"version" bigint DEFAULT 0 NOT NULL,
	"run_at" bigint NOT NULL,
	"lease_until" bigint,
	"lease_ms" bigint,
	"locked_by" text,
	"error" text,
	"progress" double precision,
	"dedupe_key" text,
	"dedupe_until" text,
	"timeout_ms" bigint,
	"backoff" text,
	"face" text DEFAULT 'api' NOT NULL,
	"cancel_requested_at" bigint,
	"claim_request_id" text,
	"traceparent" text,
	"concurrency_key" text,
	"expires_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	CONSTRAINT "millrace_jobs_terminal_is_finished" CHECK (("millrace_jobs"."status" in ('completed', 'failed', 'cancelled')) = ("millrace_jobs"."finished_at" is not null)),
	CONSTRAINT "millrace_jobs_processing_is_leased" CHECK (("millrace_jobs"."status" = 'processing') = ("millrace_jobs"."lease_until" is not null)),
	CONSTRAINT "millrace_jobs_leased_has_worker" CHECK ("millrace_jobs"."lease_until" is null or "millrace_jobs"."locked_by" is not null),
	CONSTRAINT "millrace_jobs_counts_positive" CHECK ("millrace_jobs"."attempts" >= 0 and "millrace_jobs"."crashes" >= 0 and "millrace_jobs"."version" >= 0)
);
--> statement-breakpoint
CREATE TABLE "millrace_leadership" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_rate_buckets" (
	"name" text PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_schedules" (
	"name" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"payload" text NOT NULL,
	"options" text DEFAULT '{}' NOT NULL,
	"cron" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"next_run_at" bigint,
	"last_run_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "millrace_workers" (
	"name" text PRIMARY KEY NOT NULL,
	"types" text DEFAULT '[]' NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL,
	"drain_requested_at" bigint,
	"slots" integer,
	"version" text,
	"process" text
);
--> statement-breakpoint
ALTER TABLE "millrace_job_attempts" ADD CONSTRAINT "millrace_job_attempts_seq" FOREIGN KEY ("seq") REFERENCES "millrace_jobs"("seq") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "millrace_job_logs" ADD CONSTRAINT "millrace_job_logs_seq" FOREIGN KEY ("seq") REFERENCES "millrace_jobs"("seq") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "millrace_tokens_hash" ON "millrace_tokens" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "millrace_tokens_name" ON "millrace_tokens" USING btree ("name") WHERE "millrace_tokens"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "millrace_audit_target" ON "millrace_audit" USING btree ("target","id");--> statement-breakpoint
CREATE INDEX "millrace_job_minutes_minute" ON "millrace_job_minutes" USING btree ("minute","type");--> statement-breakpoint
CREATE INDEX "millrace_job_attempts_failures" ON "millrace_job_attempts" USING btree ("finished_at","type","error_key") WHERE "millrace_job_attempts"."error_key" is not null;--> statement-breakpoint
CREATE INDEX "millrace_job_logs_attempt" ON "millrace_job_logs" USING btree ("seq","version","id");--> statement-breakpoint
CREATE UNIQUE INDEX "millrace_jobs_id" ON "millrace_jobs" USING btree ("id");--> statement-breakpoint
CREATE INDEX "millrace_jobs_claim" ON "millrace_jobs" USING btree ("type","priority" DESC NULLS FIRST,"run_at","seq") WHERE "millrace_jobs"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "millrace_jobs_suspects" ON "millrace_jobs" USING btree ("status","type","priority" DESC NULLS FIRST,"run_at","seq") WHERE "millrace_jobs"."crashes" > 0 and "millrace_jobs"."face" <> 'messages' and "millrace_jobs"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "millrace_jobs_due" ON "millrace_jobs" USING btree ("run_at") WHERE "millrace_jobs"."status" in ('scheduled', 'retrying');--> statement-breakpoint
CREATE INDEX "millrace_jobs_processing" ON "millrace_jobs" USING btree ("type") WHERE "millrace_jobs"."status" = 'processing';--> statement-breakpoint
CREATE INDEX "millrace_jobs_expiry" ON "millrace_jobs" USING btree ("expires_at") WHERE "millrace_jobs"."expires_at" is not null and "millrace_jobs"."finished_at" is null and "millrace_jobs"."status" <> 'processing';--> statement-breakpoint
CREATE INDEX "millrace_jobs_finished" ON "millrace_jobs" USING btree ("type","status","finished_at") WHERE "millrace_jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "millrace_jobs_claim_request" ON "millrace_jobs" USING btree ("claim_request_id") WHERE "millrace_jobs"."claim_request_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "millrace_jobs_dedupe" ON "millrace_jobs" USING btree ("type","dedupe_key") WHERE "millrace_jobs"."dedupe_key" is not null and ("millrace_jobs"."dedupe_until" = 'removed' or "millrace_jobs"."finished_at" is null);--> statement-breakpoint
CREATE INDEX "millrace_schedules_due" ON "millrace_schedules" USING btree ("next_run_at");--> statement-breakpoint
-- Written by hand, from here on. Room in every page lets a heartbeat put the new version of a row beside the old one (HOT).
-- Dead rows lie where claims look first, so they are cleared after a thousand and 1 %, not after 20 % of the table.
ALTER TABLE "millrace_jobs" SET (fillfactor = 80, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- A few rows that every commit rewrites: in their own page, where the next commit clears up after the last.
ALTER TABLE "millrace_job_counts" SET (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- Tallies come with every commit, and a fold deletes nearly all of them.
ALTER TABLE "millrace_job_minutes" SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- A bucket is rewritten by every claim of a limited type.
ALTER TABLE "millrace_rate_buckets" SET (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
