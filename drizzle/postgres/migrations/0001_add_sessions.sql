CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token_id" text,
	"proof" text,
	"created_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_name" ON "tokens" USING btree ("name") WHERE "tokens"."revoked_at" is null;