ALTER TABLE `workers` ADD `slots` integer;--> statement-breakpoint
ALTER TABLE `workers` ADD `version` text;