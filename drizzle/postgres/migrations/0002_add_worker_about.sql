ALTER TABLE "workers" ADD COLUMN "slots" integer;--> statement-breakpoint
ALTER TABLE "workers" ADD COLUMN "version" text;