ALTER TABLE "jobs" ADD COLUMN "unconfirmed_claims" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "process" text;--> statement-breakpoint
CREATE INDEX "jobs_suspects" ON "jobs" USING btree ("status","type","priority" DESC NULLS FIRST,"run_at","seq") WHERE "jobs"."crashes" > 0 and "jobs"."face" <> 'messages' and "jobs"."finished_at" is null;