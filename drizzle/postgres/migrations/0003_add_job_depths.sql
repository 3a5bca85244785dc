CREATE TABLE "job_depths" (
	"minute" bigint NOT NULL,
	"type" text NOT NULL,
	"ready" bigint NOT NULL,
	"backlog" bigint NOT NULL,
	CONSTRAINT "job_depths_pk" PRIMARY KEY("minute","type")
);
