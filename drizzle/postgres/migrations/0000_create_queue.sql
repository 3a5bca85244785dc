CREATE TABLE "audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" bigint NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text,
	"details" text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bulk_items" (
	"bulk_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"version" bigint NOT NULL,
	"before" text NOT NULL,
	"status_after" text NOT NULL,
	CONSTRAINT "bulk_items_pk" PRIMARY KEY("bulk_id","seq")
);
--> statement-breakpoint
CREATE TABLE "bulk_operations" (
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
CREATE TABLE "job_attempts" (
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
	CONSTRAINT "job_attempts_pk" PRIMARY KEY("seq","version")
);
--> statement-breakpoint
CREATE TABLE "job_bodies" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"payload" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_counts" (
	"type" text NOT NULL,
	"status" text NOT NULL,
	"node" text DEFAULT '' NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "job_counts_pk" PRIMARY KEY("type","status","node")
);
--> statement-breakpoint
CREATE TABLE "job_logs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "job_logs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"seq" bigint NOT NULL,
	"version" bigint NOT NULL,
	"stream" text NOT NULL,
	"at" bigint NOT NULL,
	"line" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_minutes" (
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
CREATE TABLE "job_results" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"result" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_types" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text DEFAULT 'job' NOT NULL,
	"declared" text DEFAULT '{}' NOT NULL,
	"override" text DEFAULT '{}' NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "jobs_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"max_attempts" integer,
	"crashes" integer DEFAULT 0 NOT NULL,
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
	CONSTRAINT "jobs_terminal_is_finished" CHECK (("jobs"."status" in ('completed', 'failed', 'cancelled')) = ("jobs"."finished_at" is not null)),
	CONSTRAINT "jobs_processing_is_leased" CHECK (("jobs"."status" = 'processing') = ("jobs"."lease_until" is not null)),
	CONSTRAINT "jobs_leased_has_worker" CHECK ("jobs"."lease_until" is null or "jobs"."locked_by" is not null),
	CONSTRAINT "jobs_counts_positive" CHECK ("jobs"."attempts" >= 0 and "jobs"."crashes" >= 0 and "jobs"."version" >= 0)
);
--> statement-breakpoint
CREATE TABLE "leadership" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_buckets" (
	"name" text PRIMARY KEY NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedules" (
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
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
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
CREATE TABLE "workers" (
	"name" text PRIMARY KEY NOT NULL,
	"types" text DEFAULT '[]' NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL,
	"drain_requested_at" bigint
);
--> statement-breakpoint
ALTER TABLE "job_attempts" ADD CONSTRAINT "job_attempts_seq" FOREIGN KEY ("seq") REFERENCES "jobs"("seq") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_logs" ADD CONSTRAINT "job_logs_seq" FOREIGN KEY ("seq") REFERENCES "jobs"("seq") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_target" ON "audit" USING btree ("target","id");--> statement-breakpoint
CREATE INDEX "job_attempts_failures" ON "job_attempts" USING btree ("finished_at","type","error_key") WHERE "job_attempts"."error_key" is not null;--> statement-breakpoint
CREATE INDEX "job_logs_attempt" ON "job_logs" USING btree ("seq","version","id");--> statement-breakpoint
CREATE INDEX "job_minutes_minute" ON "job_minutes" USING btree ("minute","type");--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_id" ON "jobs" USING btree ("id");--> statement-breakpoint
CREATE INDEX "jobs_claim" ON "jobs" USING btree ("type","priority" DESC NULLS FIRST,"run_at","seq") WHERE "jobs"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("run_at") WHERE "jobs"."status" in ('scheduled', 'retrying');--> statement-breakpoint
CREATE INDEX "jobs_processing" ON "jobs" USING btree ("type") WHERE "jobs"."status" = 'processing';--> statement-breakpoint
CREATE INDEX "jobs_expiry" ON "jobs" USING btree ("expires_at") WHERE "jobs"."expires_at" is not null and "jobs"."finished_at" is null and "jobs"."status" <> 'processing';--> statement-breakpoint
CREATE INDEX "jobs_finished" ON "jobs" USING btree ("type","status","finished_at") WHERE "jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "jobs_claim_request" ON "jobs" USING btree ("claim_request_id") WHERE "jobs"."claim_request_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_dedupe" ON "jobs" USING btree ("type","dedupe_key") WHERE "jobs"."dedupe_key" is not null and ("jobs"."dedupe_until" = 'removed' or "jobs"."finished_at" is null);--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_run_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_hash" ON "tokens" USING btree ("hash");--> statement-breakpoint
-- Written by hand, from here on. Room in every page lets a heartbeat put the new version of a row beside the old one (HOT).
-- Dead rows lie where claims look first, so they are cleared after a thousand and 1 %, not after 20 % of the table.
ALTER TABLE "jobs" SET (fillfactor = 80, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_threshold = 1000, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- A few rows that every commit rewrites: in their own page, where the next commit clears up after the last.
ALTER TABLE "job_counts" SET (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- Tallies come with every commit, and a fold deletes nearly all of them.
ALTER TABLE "job_minutes" SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_limit = 2000);--> statement-breakpoint
-- A bucket is rewritten by every claim of a limited type.
ALTER TABLE "rate_buckets" SET (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
