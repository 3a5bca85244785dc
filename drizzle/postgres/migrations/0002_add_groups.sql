CREATE TABLE "millrace_job_groups" (
	"name" text NOT NULL,
	"key" text NOT NULL,
	"pending" bigint DEFAULT 0 NOT NULL,
	"processing" bigint DEFAULT 0 NOT NULL,
	"blocked" bigint DEFAULT 0 NOT NULL,
	"tat" double precision,
	"busy_until" bigint,
	"wake_at" bigint,
	"turn_seq" bigint,
	"stopped_at" bigint,
	"override" text,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "millrace_job_groups_pk" PRIMARY KEY("name","key"),
	CONSTRAINT "millrace_job_groups_positive" CHECK ("millrace_job_groups"."pending" >= 0 and "millrace_job_groups"."processing" >= 0 and "millrace_job_groups"."blocked" >= 0)
);
--> statement-breakpoint
ALTER TABLE "millrace_jobs" RENAME COLUMN "concurrency_key" TO "group_name";--> statement-breakpoint
ALTER TABLE "millrace_jobs" ADD COLUMN "group_key" text;--> statement-breakpoint
CREATE INDEX "millrace_job_groups_wake" ON "millrace_job_groups" USING btree ("wake_at") WHERE "millrace_job_groups"."wake_at" is not null;--> statement-breakpoint
CREATE INDEX "millrace_jobs_blocked" ON "millrace_jobs" USING btree ("group_name","group_key","priority" DESC NULLS FIRST,"run_at","seq") WHERE "millrace_jobs"."status" = 'blocked';--> statement-breakpoint
CREATE INDEX "millrace_jobs_group" ON "millrace_jobs" USING btree ("group_name","group_key","seq") WHERE "millrace_jobs"."group_key" is not null and "millrace_jobs"."finished_at" is null;