ALTER TABLE `jobs` ADD `unconfirmed_claims` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_suspects` ON `jobs` (`status`,`type`,"priority" desc,`run_at`,`seq`) WHERE "jobs"."crashes" > 0 and "jobs"."face" <> 'messages' and "jobs"."finished_at" is null;--> statement-breakpoint
ALTER TABLE `workers` ADD `process` text;