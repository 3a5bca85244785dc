CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_id` text,
	`proof` text,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_name` ON `tokens` (`name`) WHERE "tokens"."revoked_at" is null;